import Foundation
import LevelKit
import TestSupport
import Testing

/// Other LevelDB bindings read what LevelKit writes, and vice versa.
@Suite struct InterchangeTests {
    // MARK: - LevelKit writes

    @Test(.enabled(if: Interpreter.python != nil, "no Python with plyvel (pip install plyvel, LEVELKIT_PYTHON)"))
    func `plyvel reads the entries that LevelKit wrote`() throws {
        try withTemporaryDirectory { directory in
            let expected = try Self.write(to: directory + "/db")
            let found = try Interpreter.run(Interpreter.python, [Script.plyvelReads, directory + "/db", directory])
            #expect(found == expected.count)
            #expect(try Transcript(path: directory + "/transcript").entries == expected)
            // After plyvel has closed the database, it is unchanged.
            #expect(try entries(of: Database.open(at: directory + "/db")) == expected)
        }
    }

    @Test(.enabled(if: Interpreter.node != nil, "no Node.js with leveldown (apt install node-leveldown; NODE_PATH)"))
    func `leveldown reads the entries that LevelKit wrote`() throws {
        try withTemporaryDirectory { directory in
            let expected = try Self.write(to: directory + "/db")
            let found = try Interpreter.run(Interpreter.node, [Script.leveldownReads, directory + "/db", directory])
            #expect(found == expected.count)
            #expect(try Transcript(path: directory + "/transcript").entries == expected)
            #expect(try entries(of: Database.open(at: directory + "/db")) == expected)
        }
    }

    // MARK: - LevelKit reads

    @Test(.enabled(if: Interpreter.python != nil, "no Python with plyvel (pip install plyvel, LEVELKIT_PYTHON)"))
    func `LevelKit reads the entries that plyvel wrote`() throws {
        try withTemporaryDirectory { directory in
            let operations = Self.operations()
            try Transcript(operations: operations).write(to: directory + "/transcript")
            _ = try Interpreter.run(Interpreter.python, [Script.plyvelWrites, directory + "/db", directory])
            try Self.expect(Self.result(of: operations), at: directory + "/db")
        }
    }

    @Test(.enabled(if: Interpreter.node != nil, "no Node.js with leveldown (apt install node-leveldown; NODE_PATH)"))
    func `LevelKit reads the entries that leveldown wrote`() throws {
        try withTemporaryDirectory { directory in
            // leveldown does not accept empty keys.
            let operations = Self.operations().filter { !$0.key.isEmpty }
            try Transcript(operations: operations).write(to: directory + "/transcript")
            _ = try Interpreter.run(Interpreter.node, [Script.leveldownWrites, directory + "/db", directory])
            try Self.expect(Self.result(of: operations), at: directory + "/db")
        }
    }

    /// Expects a database to be undamaged, and to return the same entries in both directions and by key.
    private static func expect(_ expected: [Entry], at path: String) throws {
        let database = try Database.open(at: path)
        #expect(try database.verify().isSound)
        #expect(try entries(of: database) == expected)
        #expect(try entries(of: database, reverse: true) == expected.reversed())
        for entry in expected where entry.key.count % 3 == 0 {
            #expect(try database.value(forKey: entry.key) == entry.value)
        }
    }

    // MARK: - Operations

    /// A put, or a deletion if there is no value.
    struct Operation {
        let key: [UInt8]
        let value: [UInt8]?
    }

    /// Returns 20,000 puts of binary keys and values, including empty ones, and deletions of about a fifth of them.
    private static func operations() -> [Operation] {
        var random = TestRun.random(stream: 7)
        var operations = [
            Operation(key: [], value: []), Operation(key: [0], value: [0]), Operation(key: [0xff], value: []),
        ]
        var keys: [[UInt8]] = []
        for number in 0..<20_000 {
            let noise = (0..<random.number(below: 24)).map { _ in UInt8(random.number(below: 256)) }
            let key = noise + [0, UInt8(number >> 8), UInt8(number & 0xff), 0xff]
            let value = Array(repeating: UInt8(number & 0xff), count: random.number(below: 200))
            operations.append(Operation(key: key, value: value))
            keys.append(key)
            if number % 5 == 4 { operations.append(Operation(key: random.pick(keys), value: nil)) }
        }
        return operations
    }

    /// Returns the entries present at the end, in key order.
    private static func result(of operations: [Operation]) -> [Entry] {
        var content: [[UInt8]: [UInt8]] = [:]
        for operation in operations { content[operation.key] = operation.value }
        return content.map { Entry(key: $0.key, value: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// Performs the operations, half of them before a reopen and a compaction.
    private static func write(to path: String) throws -> [Entry] {
        let operations = operations()
        var options = DatabaseOptions()
        options.writeBufferByteCount = 256 << 10
        for half in [operations.prefix(operations.count / 2), operations.dropFirst(operations.count / 2)] {
            let database = try Database.open(at: path, options: options)
            for operation in half {
                if let value = operation.value {
                    try database.put(value, forKey: operation.key)
                } else {
                    try database.delete(operation.key)
                }
            }
            if half.startIndex == 0 { try database.compact() }
            try database.close()
        }
        return result(of: operations)
    }
}

/// A file of keys and values, each preceded by its length in four little-endian bytes; a length of `ffffffff` in place
/// of a value means that the key is deleted.
private struct Transcript {
    var operations: [InterchangeTests.Operation] = []

    init(operations: [InterchangeTests.Operation]) { self.operations = operations }

    init(path: String) throws {
        var rest = try content(of: path)[...]
        func number() -> Int {
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while !rest.isEmpty {
            let key = bytes(number())
            operations.append(InterchangeTests.Operation(key: key, value: bytes(number())))
        }
    }

    var entries: [Entry] { operations.map { Entry(key: $0.key, value: $0.value ?? []) } }

    func write(to path: String) throws {
        var bytes: [UInt8] = []
        func append(_ part: [UInt8]?) {
            let count = UInt32(part.map(\.count) ?? 0xffff_ffff)
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
            bytes += part ?? []
        }
        for operation in operations {
            append(operation.key)
            append(operation.value)
        }
        try LevelKitTests.write(bytes, to: path)
    }
}

/// Programs that run the scripts.
private enum Interpreter {
    /// The beginning of a command that runs a Python script with plyvel; `nil` if it is not installed.
    static let python: [String]? = {
        let program = ProcessInfo.processInfo.environment["LEVELKIT_PYTHON"] ?? "python3"
        return (try? run([program, "-c"], ["import plyvel; print(1)"])) == 1 ? [program, "-c"] : nil
    }()

    /// The same for Node.js with leveldown.
    static let node: [String]? = {
        let command = ["node", "-e"]
        return (try? run(command, ["require('leveldown'); console.log(1)"])) == 1 ? command : nil
    }()

    struct Failure: Error {
        let output: String
    }

    /// Runs a script with arguments.
    ///
    /// - Returns: The number that it prints.
    static func run(_ command: [String]?, _ arguments: [String]) throws -> Int {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = (command ?? []) + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw Failure(output: text) }
        return number
    }
}

/// The scripts. Each receives the path of the database and the directory of the transcript, and prints the number of
/// entries it processed.
private enum Script {
    static let plyvelReads = """
        import plyvel, struct, sys
        database = plyvel.DB(sys.argv[1], paranoid_checks=True)
        count = 0
        with open(sys.argv[2] + '/transcript', 'wb') as transcript:
            for key, value in database.iterator(verify_checksums=True):
                for part in (key, value):
                    transcript.write(struct.pack('<I', len(part)) + part)
                assert database.get(key) == value
                count += 1
        database.close()
        print(count)
        """

    static let plyvelWrites = """
        import plyvel, struct, sys
        bytes = open(sys.argv[2] + '/transcript', 'rb').read()
        place = 0
        def part():
            global place
            count, = struct.unpack_from('<I', bytes, place)
            place += 4
            if count == 0xffffffff:
                return None
            place += count
            return bytes[place - count:place]
        database = plyvel.DB(sys.argv[1], create_if_missing=True, write_buffer_size=1 << 18)
        count = 0
        while place < len(bytes):
            key, value = part(), part()
            if value is None:
                database.delete(key)
            else:
                database.put(key, value)
            count += 1
            if count == 12000:
                database.compact_range(start=b'', stop=b'\\xff' * 40)
                database.close()
                database = plyvel.DB(sys.argv[1], write_buffer_size=1 << 18)
        database.close()
        print(count)
        """

    static let leveldownReads = """
        const [path, directory] = process.argv.slice(1);
        const fs = require('fs');
        const database = require('leveldown')(path);
        database.open({ createIfMissing: false }, error => {
            if (error) throw error;
            const iterator = database.iterator({ keyAsBuffer: true, valueAsBuffer: true });
            const parts = [];
            let count = 0;
            const next = (error, key, value) => {
                if (error) throw error;
                if (key === undefined) {
                    fs.writeFileSync(directory + '/transcript', Buffer.concat(parts));
                    return iterator.end(() => database.close(() => console.log(count)));
                }
                for (const part of [key, value]) {
                    const length = Buffer.alloc(4);
                    length.writeUInt32LE(part.length);
                    parts.push(length, part);
                }
                count += 1;
                iterator.next(next);
            };
            iterator.next(next);
        });
        """

    static let leveldownWrites = """
        const [path, directory] = process.argv.slice(1);
        const bytes = require('fs').readFileSync(directory + '/transcript');
        const operations = [];
        for (let place = 0; place < bytes.length;) {
            const parts = [];
            for (let index = 0; index < 2; index += 1) {
                const length = bytes.readUInt32LE(place);
                place += 4;
                if (length === 0xffffffff) continue;
                parts.push(bytes.subarray(place, place + length));
                place += length;
            }
            const [key, value] = parts;
            operations.push(parts.length === 1 ? { type: 'del', key } : { type: 'put', key, value });
        }
        const database = require('leveldown')(path);
        database.open({ createIfMissing: true, writeBufferSize: 1 << 18 }, error => {
            if (error) throw error;
            const write = place => {
                if (place >= operations.length) return database.close(() => console.log(operations.length));
                database.batch(operations.slice(place, place + 1000), error => {
                    if (error) throw error;
                    write(place + 1000);
                });
            };
            write(0);
        });
        """
}
