// The examples of the articles on replication, packages and the inspector, one function each. They are compiled with every
// build, run by the tests, and identical to the code in the articles.
import DocIndex
import DocNetwork
import DocSync
import Foundation
import Inspector
import StorePackages

let directory = FileManager.default.temporaryDirectory.appending(path: "SyncArticles-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

func twoStores(_ photos: DocumentCollection, _ disk: DocumentStore) async throws {
    let peer = try Peer(disk, collection: "photos")
    let status = try await Replicator(photos, with: peer).run()
    print("pulled", status.pull.writtenCount, "pushed", status.push.writtenCount)
    for fault in status.leftOut.values { print(fault) }
}

#if Network
    // Not called, because it needs a server.
    func follow(_ photos: DocumentCollection) async throws {
        let peer = try Peer(url: "https://nas.local:6984/photos", credentials: .basic { ("anna", "secret") })
        var options = Replicator.Options()
        options.isContinuous = true
        options.resolver = .threeWay(sets: ["keywords"])
        for try await status in Replicator(photos, with: peer, options: options).updates() {
            print(status.phase, status.pull.writtenCount, status.push.writtenCount)
        }
    }
#endif

#if Network
    // Not called, because it needs a server.
    func watch(_ photos: DocumentCollection, _ password: String) async throws {
        let peer = try Peer(url: "https://nas.local:6984/photos", credentials: .basic { ("anna", password) })
        var options = Replicator.Options()
        options.isContinuous = true
        for try await status in Replicator(photos, with: peer, options: options).updates() {
            print(status.phase, status.pull.writtenCount, status.push.writtenCount)
        }
    }
#endif

// Not called, because it needs a package.
func package() throws {
    let store = try DocumentStore.open(package: "trip.lkpack.zip")
    let best = try store.collection("photos").find("rating = 5")
    print(best.count)
}

#if Network
    // Not called, because it answers until its task is canceled.
    func show(_ store: DocumentStore) async throws {
        let inspector = Inspector(store)
        try await inspector.run { print(inspector.address ?? "") }
    }
#endif

let schema = Schema(version: 1, collections: [CollectionDefinition("photos")])
let mine = try DocumentStore.open(at: directory.path + "/mine.store", schema: schema)
let disk = try DocumentStore.open(at: directory.path + "/disk.store", schema: schema)
let photos = try mine.collection("photos")
try photos.put(["id": "IMG_0231", "caption": "Fog"])
try await twoStores(photos, disk)
guard try disk.collection("photos").document("IMG_0231") != nil else { fatalError("nothing was replicated") }
try mine.close()
try disk.close()
