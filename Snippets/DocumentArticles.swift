// The examples of DocIndex's articles on documents, transactions, migrations, changes, history and conflicts, one
// function each. They are compiled with every build, run by the tests, and identical to the code in the articles.
import DocIndex
import Foundation

let directory = FileManager.default.temporaryDirectory.appending(path: "DocumentArticles-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
guard FileManager.default.changeCurrentDirectoryPath(directory.path) else { fatalError("no \(directory.path)") }

func documents(_ photos: DocumentCollection) throws {
    try photos.put(["id": "IMG_0231", "caption": "Fog"])
    let id = try photos.insert(["caption": "Snow"])  // 01932f3a-…
    let both = try photos.documents(["IMG_0231", id])
    try photos.forEach(in: .prefix("IMG_")) { print($0.id) }
    print("both:", both.compactMap { $0 }.count)
}

func types(_ photos: DocumentCollection) throws {
    struct Photo: Codable {
        var id: String
        var caption: String?
        var rating: Int?
    }
    try photos.put(encoding: Photo(id: "IMG_0231", caption: "Fog", rating: 5))
    let best = try photos.find("rating >= 4", as: Photo.self)
    print("best:", best.map(\.id))
}

func attachments(_ store: DocumentStore, _ photos: DocumentCollection) throws {
    try Data(repeating: 7, count: 2_000_000).write(to: directory.appending(path: "IMG_0231.jpg"))
    let small = [UInt8](repeating: 8, count: 9000)
    let original = try store.attachments.add(contentsOf: "IMG_0231.jpg")
    let thumbnail = try store.attachments.add(small, type: "image/jpeg", name: "IMG_0231 small.jpg")
    try photos.put(["id": "IMG_0231", "original": .attachment(original), "thumbnail": .attachment(thumbnail)])

    let content = try store.attachments.bytes(of: original)
    let large = try photos.find("original.type = image/jpeg and original.bytes > 1000000")
    print("large:", large.map(\.id), content.count)

    let garbage = try store.attachments.collectGarbage()
    print(garbage.digests.count, "attachments deleted,", garbage.keptCount, "kept for now")
    for digest in try store.verify(attachments: .full).lostAttachments {
        print("restore a backup of", digest)
    }
}

func transactions(_ store: DocumentStore) throws {
    try store.collection("albums").put(["id": "summer", "count": 11])
    try store.write { transaction in
        try transaction.put(["id": "a", "title": "Harbour"], in: "photos")
        try transaction.update("summer", in: "albums") { album in
            album["count"] = .int(12)
        }
    }
    print("album:", try store.collection("albums").document("summer")?["count"] ?? .null)
}

func conditions(_ photos: DocumentCollection) throws {
    guard let photo = try photos.document("IMG_0231") else { return }
    var content = photo.content
    content["rating"] = 5
    try photos.put(content, if: .sequence(photo.sequence))  // `conflict` if somebody was faster
}

func manyDocuments(_ photos: DocumentCollection) throws {
    let (old, new) = ("river", "stream")
    try photos.put(["id": "old", "year": 1931, "rating": 4, "keywords": ["river"]])
    try photos.update(where: "year < 1950 and keywords has \(old)", "rating = 5, keywords \(old) -> \(new)")
    try photos.delete(where: "rating = 1 and album missing")
    print("updated:", try photos.document("old")?["keywords[]"] ?? .null)

    let trial = try photos.update(where: "rating = 4", "rating = 5", options: .dryRun(differences: 3))
    for difference in trial.differences { print(difference.id, difference.new ?? [:]) }
}

func migrations(_ store: DocumentStore) throws {
    try store.collection("photos").put(["id": "old", "stars": 4])
    let starsBecomeRating = Migration("stars become rating", of: "photos", drops: ["stars"]) { photo in
        var photo = photo
        if let stars = photo.removeValue(forName: "stars") { photo["rating"] = stars }
        return photo
    }
    try store.migrate([starsBecomeRating], checkpoint: "photos.before-rating")
    print("migrated:", try store.collection("photos").document("old")?["rating"] ?? .null)
}

func changes(_ store: DocumentStore) async throws {
    func forget(_ id: DocumentID) { print("forget:", id) }
    func fetch(_ id: DocumentID) { print("fetch:", id) }
    var position: UInt64 = 0
    let epoch = store.epoch
    let changes = try store.changes(since: position, epoch: epoch)
    for change in changes {
        change.isDeletion ? forget(change.id) : fetch(change.id)
    }
    position = changes.last?.sequence ?? position

    try store.collection("photos").delete("a")
    position -= 1
    func update(_ changes: [StoreChange]) {
        print("update:", changes.count)
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // One commit is enough here; a program would continue.
    }
    let following = Task {
        for try await changes in store.changeStream(since: position) {
            update(changes)
        }
    }
    _ = await following.result
}

func historyDeclaration() -> CollectionDefinition {
    CollectionDefinition("photos", history: .init(age: .days(90), versions: 20))
}

func history(_ store: DocumentStore) throws {
    try store.apply(Schema(version: 2, collections: [historyDeclaration(), CollectionDefinition("albums")]))
    let photos = try store.collection("photos")
    try photos.put(["id": "IMG_0231", "caption": "Fog"])
    try photos.update("IMG_0231") { $0["caption"] = "Fog over the old bridge" }
    let commit = try store.sequence()
    for version in try photos.history(of: "IMG_0231") {
        print(version.sequence, version.time ?? .distantPast, version.document?.content["caption"] ?? "deleted")
    }
    let former = try photos.document("IMG_0231", at: commit)
    print("former:", former?.content["caption"] ?? .null)

    try photos.delete("IMG_0231")
    try store.undo()
    do {
        try store.undo(commit)
    } catch let error as DocIndexError where error.code == .conflict {
        print("changed again:", error.conflict?.id ?? "", "by commit", error.conflict?.laterCommit ?? 0)
        try store.undo(commit, overwriting: true)
    }
    print("undone:", try photos.document("IMG_0231")?["caption"] ?? .null)
}

func findConflicts(_ photos: DocumentCollection) throws {
    for id in try photos.conflicted(limit: 100) {
        guard let conflict = try photos.conflict(of: id) else { continue }
        print(id, "differs in", conflict.differingMembers)
        for version in conflict.versions {
            print(version.revision, version.content["caption"] ?? "no caption")
        }
        print("all come from", conflict.base?.content["caption"] ?? "an unknown version")
    }
}

func resolve(_ conflict: DocumentConflict, in photos: DocumentCollection) throws {
    try photos.resolve(conflict, as: .take(conflict.versions[1].revision))
}

func resolveConflicts(_ photos: DocumentCollection) async throws {
    let isResolved = try await photos.resolve("IMG_0231", using: .threeWay(sets: ["keywords"]))
    let mostStars = DocumentConflict.Resolver { conflict in
        func stars(_ version: DocumentConflict.Version) -> Int64 { version.content["rating"]?.intValue ?? 0 }
        let best = conflict.versions.max { stars($0) < stars($1) }
        return best.map { .take($0.revision) } ?? .later
    }
    print("resolved:", isResolved, try await photos.resolve("IMG_0231", using: mostStars))
}

let schema = Schema(collections: [
    CollectionDefinition("photos", indexes: [.value("rating", on: "rating")]), CollectionDefinition("albums"),
])
let store = try DocumentStore.open(at: "articles.store", schema: schema)
let photos = try store.collection("photos")
try documents(photos)
try attachments(store, photos)
try types(photos)
try transactions(store)
try conditions(photos)
try manyDocuments(photos)
try migrations(store)
try await changes(store)
try history(store)
try findConflicts(photos)
try await resolveConflicts(photos)
try store.close()
