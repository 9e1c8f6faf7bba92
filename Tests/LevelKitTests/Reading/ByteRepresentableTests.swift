import Foundation
import LevelKit
import Testing

@Suite struct ByteRepresentableTests {
    @Test func `Bytes, strings, data and slices of the same bytes are the same key and value`() throws {
        try withTemporaryDatabase { database in
            let bytes = Array("photo/é".utf8)
            let text = "photo/é"
            let data = Data(bytes)
            try database.put(text, forKey: text)
            #expect(try database.value(forKey: bytes) == bytes)
            #expect(try database.value(forKey: data, as: Data.self) == data)
            #expect(try database.value(forKey: text[...], as: Substring.self) == text[...])
            #expect(try database.value(forKey: bytes[...], as: ArraySlice<UInt8>.self) == bytes[...])
            #expect(try database.value(forKey: ("x" + text).dropFirst(), as: String.self) == text)
            #expect(try database.value(forKey: ([0] + bytes).dropFirst(), as: [UInt8].self) == bytes)
            #expect(try database.value(forKey: (Data([0]) + data).dropFirst()) == bytes)
            #expect(try database.contains(text) && database.contains(data) && database.contains(bytes))
            try database.put(data, forKey: bytes[...])
            try database.delete(data)
            #expect(try !database.contains(text))
        }
    }

    @Test func `A value that is not UTF-8 is an error when it is read as a string, and stays readable as bytes`() throws
    {
        try withTemporaryDatabase { database in
            try database.put([0x61, 0xff], forKey: "key")
            #expect(code { _ = try database.value(forKey: "key", as: String.self) } == .malformedEntry)
            #expect(try database.value(forKey: "key") == [0x61, 0xff])
            #expect(try database.value(forKey: "none", as: String.self) == nil)
        }
    }

    @Test func `Batches, cursors and ranges take strings and data like bytes`() throws {
        try withTemporaryDatabase { database in
            try database.write { batch in
                for number in 1...4 { try batch.put("\(number)", forKey: "photo/\(number)") }
                try batch.put(Data([7]), forKey: "other")
                try batch.put("gone", forKey: Data("photo/9".utf8))
                try batch.delete("photo/9")
            }
            func keys(_ range: KeyRange) throws -> [String] {
                var keys: [String] = []
                var cursor = try database.cursor(in: range)
                while try cursor.advance() { keys.append(try cursor.key.copied(as: String.self)) }
                return keys
            }
            #expect(try keys(.prefix("photo/")).count == 4)
            #expect(try keys(.prefix(Data("photo/".utf8))) == keys(.prefix("photo/")))
            #expect(try keys(.range(from: "photo/2", to: "photo/4")) == ["photo/2", "photo/3"])
            #expect(try keys(.range(from: "photo/3")) == ["photo/3", "photo/4"])
            #expect(try keys(.range(to: "photo/1")) == ["other"])
            #expect(try keys(.range(after: "photo/3")) == ["photo/4"])
            #expect(try keys(.range(after: "photo/1", to: "photo/3")) == ["photo/2"])
            #expect(try keys(.only("photo/2")) == ["photo/2"])
            var cursor = try database.cursor(in: .prefix("photo/"))
            cursor.seek(to: "photo/3")
            #expect(try cursor.advance())
            #expect(try cursor.value.copied(as: String.self) == "3")
        }
    }

    @Test func `The pages of a range, each after the last key of the page before, are the range`() throws {
        try withTemporaryDatabase { database in
            for number in 10..<33 { try database.put("", forKey: "photo/\(number)") }
            try database.put("", forKey: "a")
            try database.put("", forKey: "z")
            func page(_ range: KeyRange, _ direction: KeyDirection) throws -> [[UInt8]] {
                var keys: [[UInt8]] = []
                var cursor = try database.cursor(in: range, direction: direction)
                while keys.count < 5, try cursor.advance() { keys.append(cursor.key.copied()) }
                return keys
            }
            let photos = KeyRange.prefix("photo/")
            let all = (10..<33).map { Array("photo/\($0)".utf8) }
            var ascending: [[UInt8]] = []
            var descending: [[UInt8]] = []
            while true {
                let next = try page(ascending.last.map { photos.after($0) } ?? photos, .ascending)
                if next.isEmpty { break }
                ascending += next
            }
            while true {
                let next = try page(descending.last.map { photos.before($0) } ?? photos, .descending)
                if next.isEmpty { break }
                descending += next
            }
            #expect(ascending == all)
            #expect(descending == all.reversed())
        }
    }

    @Test func `Restricting a range at a key outside it does not extend the range`() {
        let range = KeyRange.range(from: "b", to: "d")
        #expect(range.after("a") == range)
        #expect(range.before("e") == range)
        #expect(range.after("b") == KeyRange(lower: .excluded([0x62]), upper: .excluded([0x64])))
        #expect(range.after("b").after("b") == range.after("b"))
        #expect(range.after("c").before("c").before("d") == range.after("c").before("c"))
        #expect(KeyRange.all.after("x").before("y") == KeyRange(lower: .excluded([0x78]), upper: .excluded([0x79])))
    }

    @Test func `The asynchronous operations take strings and data`() async throws {
        let database = try Database.temporary()
        let asynchronous = database.asynchronous
        try await asynchronous.put("fog", forKey: "photo/1")
        #expect(try await asynchronous.value(forKey: "photo/1", as: String.self) == "fog")
        #expect(try await asynchronous.contains(Data("photo/1".utf8)))
        try await asynchronous.delete("photo/1")
        #expect(try await asynchronous.value(forKey: "photo/1") == nil)
        try database.close()
    }
}
