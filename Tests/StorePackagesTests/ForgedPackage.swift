import DocIndex

@testable import StorePackages

/// Packages that `PackageWriter` never writes, with the digests of what they contain.
enum ForgedPackage {
    /// A package of documents of the only collection of a schema.
    static func bytes(
        _ schema: Schema, _ documents: [DocumentObject], originals: [[UInt8]] = []
    ) throws -> [UInt8] {
        let collection = schema.collections[0].name
        var lines = DocumentLines(references: nil)
        var text = lines.beginning(schema, order: "id", changes: nil)
        for document in documents {
            guard let id = document["id"].flatMap({ DocumentID($0) }) else { continue }
            text += lines.document(id, document, in: collection)
        }
        text += lines.end()
        var manifest = PackageManifest(collection: collection, title: collection)
        manifest.documentCount = documents.count
        let sink = PackedStore.Sink()
        var file = PackageFile { sink.bytes += $0 }
        try file.add(.documents, text)
        for original in originals {
            var sum = ContentSum()
            sum.add(original)
            if let digest = sum.digest { try file.add(.blob(digest), original) }
        }
        try file.add(.gallery, Array("<!DOCTYPE html>".utf8))
        try file.finish(manifest)
        return sink.bytes
    }

    /// A package whose description is any text.
    static func bytes(description: [UInt8]) throws -> [UInt8] {
        let sink = PackedStore.Sink()
        var zip = ZipWriter { sink.bytes += $0 }
        try zip.write([0x0a], named: EntryName.documents.path)
        try zip.write([0x0a], named: EntryName.gallery.path)
        try zip.write(description, named: EntryName.manifest.path)
        try zip.finish()
        return sink.bytes
    }
}
