import DocIndex
import TestSupport
import Testing

@testable import StorePackages

/// A small store with photos, and packages of it in memory and in files.
enum PackedStore {
    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("rating", on: "rating"), .geo("where", on: "spot")])
    ])

    /// A JPEG file without metadata, as far as its segments tell. The seed makes it different from others.
    static func picture(_ seed: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        bytes += [0xff, 0xc0, 0, 11, 8, 0, 3, 0, 4, 1, 1, 0x11, 0]
        return bytes + [0xff, 0xda, 0, 3, UInt8(truncatingIfNeeded: seed), 0xff, 0xd9]
    }

    /// Stores photos with an original each; every third has no attachment.
    static func fill(_ store: DocumentStore, numbers: [Int] = Array(0..<6)) throws {
        for number in numbers {
            var photo: DocumentObject = [
                "id": .string("IMG_\(number)"), "rating": .int(Int64(number % 6)),
                "title": .string("Bridge <\(number)> & \"fog\""), "spot": ["lat": 48.5, "lon": 2.25],
            ]
            if number % 3 != 0 {
                photo["original"] = .attachment(
                    try store.attachments.add(
                        AttachedPhotos.bytes(number == 1 ? 40_000 : 200, seed: UInt64(number)), type: "image/jpeg",
                        name: "IMG_\(number).jpg"))
            }
            try store.collection("photos").put(photo)
        }
    }

    /// Packs documents into memory.
    static func pack(
        _ store: DocumentStore, _ condition: String = "", _ options: PackageWriter.Options = .init()
    ) throws -> [UInt8] {
        let writer = try PackageWriter(
            of: "photos", in: store, query: Query(try Filter(parsing: condition)),
            condition: condition.isEmpty ? nil : condition, options: options)
        var bytes: [UInt8] = []
        let sink = Sink()
        try writer.write(
            rendition: { original, size in
                picture(Int(original.digest.bytes[0]) ^ size.utf8.count)
            }, to: { sink.bytes += $0 })
        bytes = sink.bytes
        return bytes
    }

    /// The options of a package with originals.
    static var withOriginals: PackageWriter.Options {
        var options = PackageWriter.Options()
        options.includesOriginals = true
        return options
    }

    final class Sink {
        var bytes: [UInt8] = []
    }

    /// Runs `body` with a new store, a package of it, and the directory of both.
    static func withPackage<R>(
        _ options: PackageWriter.Options = withOriginals, numbers: [Int] = Array(0..<6),
        _ body: (_ store: DocumentStore, _ package: String, _ directory: String) throws -> R
    ) throws -> R {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/a.store", schema: schema)
            try fill(store, numbers: numbers)
            let path = directory + "/a.lkpack.zip"
            try write(pack(store, "", options), to: path)
            let result = try body(store, path, directory)
            try expectSound(store)
            try store.close()
            return result
        }
    }
}
