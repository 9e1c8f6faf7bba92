internal import LevelKit

extension DocumentStore.Attachments {
    /// Notes attachments that are not in the store, so that documents can refer to them. Only for a scratch store with
    /// ``DocumentStore/externalContents``: elsewhere, these references would lead nowhere.
    package func declare(_ attachments: [Attachment]) throws {
        try store.withWriter { state in
            try state.load(from: store.database)
            let release = AttachmentRecord.Release(time: StoreClock.now, sequence: state.sequence)
            let batch = WriteBatch()
            for attachment in attachments {
                guard try AttachmentRecord.read(attachment.digest, in: store.database) == nil else { continue }
                let record = AttachmentRecord(use: .released(release), byteCount: attachment.byteCount, place: .file)
                try batch.put(record.encoded, forKey: StoreKey.attachment(attachment.digest))
            }
            try store.writeAttachments(batch)
        }
    }
}
