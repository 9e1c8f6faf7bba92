import TestSupport
import Testing

@testable import DocIndex

/// Changes to a decoded value are applied to the stored document without losing what the type does not know.
@Suite struct UnknownMemberTests {
    /// A value of nested objects and arrays.
    private static func value(_ random: inout SplitMix64, depth: Int) -> DocumentValue {
        switch random.number(below: depth > 0 ? 6 : 2) {
        case 0: .int(Int64(random.number(below: 4)))
        case 1: .string(random.pick(["a", "b", ""]))
        case 2, 3: .array((0..<random.number(below: 4)).map { _ in value(&random, depth: depth - 1) })
        default: object(&random, depth: depth - 1)
        }
    }

    private static func object(_ random: inout SplitMix64, depth: Int) -> DocumentValue {
        var object = DocumentObject()
        for name in ["p", "q", "r"] where !random.once(in: 3) { object[name] = value(&random, depth: depth) }
        return .object(object)
    }

    /// Returns a value with an unknown member, with a number of its own, in every object.
    private static func withUnknown(_ value: DocumentValue, _ next: inout Int64) -> DocumentValue {
        switch value {
        case .array(let elements): return .array(elements.map { withUnknown($0, &next) })
        case .object(let members):
            var object = DocumentObject()
            next += 1
            object["unknown"] = .int(next)
            for member in members { object[member.name] = withUnknown(member.value, &next) }
            return .object(object)
        default: return value
        }
    }

    /// Returns a value without unknown members, and with members in the order of their names.
    private static func known(_ value: DocumentValue) -> DocumentValue {
        switch value {
        case .array(let elements): return .array(elements.map(known))
        case .object(let members):
            var object = DocumentObject()
            for member in members.sorted(by: { $0.name < $1.name }) where member.name != "unknown" {
                object[member.name] = known(member.value)
            }
            return .object(object)
        default: return value
        }
    }

    /// Returns the numbers of all unknown members.
    private static func unknown(_ value: DocumentValue) -> [Int64] {
        switch value {
        case .array(let elements): elements.flatMap(unknown)
        case .object(let members):
            members.flatMap { $0.name == "unknown" ? [$0.value.intValue ?? 0] : unknown($0.value) }
        default: []
        }
    }

    /// Returns a value with one part changed; arrays keep their elements, in some order.
    private static func changed(_ value: DocumentValue, _ random: inout SplitMix64) -> DocumentValue {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            if random.once(in: 2) { return .array(elements.shuffled(using: &random)) }
            let place = random.number(below: elements.count)
            var elements = elements
            elements[place] = changed(elements[place], &random)
            return .array(elements)
        case .object(var object):
            let names = object.map(\.name)
            guard let name = names.randomElement(using: &random), let member = object[name], !random.once(in: 4) else {
                object["new"] = 1
                return .object(object)
            }
            object[name] = changed(member, &random)
            return .object(object)
        default: return .int(99)
        }
    }

    @Test func `The known part of the result is the new value, and what is unchanged stays as it was`() {
        var random = TestRun.random(stream: 410)
        for _ in 0..<TestRun.rounds(3000, long: 200_000) {
            let old = Self.object(&random, depth: 4)
            let new = random.once(in: 2) ? Self.object(&random, depth: 4) : Self.changed(old, &random)
            var next: Int64 = 0
            let stored = Self.withUnknown(old, &next)
            #expect(stored.applying(changesFrom: old, to: old) == stored)
            let result = stored.applying(changesFrom: old, to: new)
            #expect(Self.known(result) == Self.known(new), "\(old), \(new), \(TestRun.repetition)")
            // No unknown member is invented or doubled.
            let numbers = Self.unknown(result)
            #expect(Set(numbers).count == numbers.count && numbers.allSatisfy { 1...next ~= $0 })
        }
    }

    @Test func `Changing a value or the order of elements loses no unknown member`() {
        var random = TestRun.random(stream: 411)
        for _ in 0..<TestRun.rounds(3000, long: 200_000) {
            let old = Self.object(&random, depth: 4)
            var next: Int64 = 0
            let stored = Self.withUnknown(old, &next)
            // Only scalars change, so every object of the old value has its place in the new one.
            let new = Self.changed(old, &random)
            let result = stored.applying(changesFrom: old, to: new)
            let replaced = Self.containers(old) - Self.containers(new)
            #expect(
                Self.unknown(result).count >= Self.unknown(stored).count - max(0, replaced),
                "\(stored), \(new), \(result), \(TestRun.repetition)")
        }
    }

    private static func containers(_ value: DocumentValue) -> Int {
        switch value {
        case .array(let elements): elements.map(containers).reduce(0, +)
        case .object(let members): members.map { containers($0.value) }.reduce(1, +)
        default: 0
        }
    }

    static let changes: [(stored: DocumentValue, old: DocumentValue, new: DocumentValue, result: DocumentValue)] = [
        // A removed element takes its unknown members along; the others keep theirs.
        ([["a": 1, "u": 1], ["a": 2, "u": 2]], [["a": 1], ["a": 2]], [["a": 2]], [["a": 2, "u": 2]]),
        // An element that is inserted in front does not shift them.
        (
            [["a": 1, "u": 1], ["a": 2, "u": 2]], [["a": 1], ["a": 2]], [["a": 0], ["a": 1], ["a": 2]],
            [["a": 0], ["a": 1, "u": 1], ["a": 2, "u": 2]]
        ),
        // An element that is moved and another that is changed.
        (
            [["a": 1, "u": 1], ["a": 2, "u": 2]], [["a": 1], ["a": 2]], [["a": 3], ["a": 1]],
            [["a": 3, "u": 2], ["a": 1, "u": 1]]
        ),
        // Equal elements keep their order.
        (
            [["a": 1, "u": 1], ["a": 1, "u": 2], ["a": 1, "u": 3]], [["a": 1], ["a": 1], ["a": 1]],
            [["a": 1], ["a": 1]],
            [["a": 1, "u": 1], ["a": 1, "u": 2]]
        ),
        // A default that the type adds to every document is not written.
        (["u": 1], ["a": 0], ["a": 0, "b": 1], ["u": 1, "b": 1]),
        (["u": 1], ["a": 0], ["a": 2], ["u": 1, "a": 2]),
        // A stored null that the type reads as nil stays until it has a value.
        (["a": nil, "b": 1], ["b": 1], ["b": 2], ["a": nil, "b": 2]), (["a": nil], [:], ["a": 1], ["a": 1]),
        // An int stays an int if a double that equals it was not changed.
        (["a": 1, "b": 2], ["a": 1.0, "b": 2.0], ["a": 1.0, "b": 2.5], ["a": 1, "b": 2.5]),
    ]

    @Test(arguments: changes.indices) func `Changes are applied to the stored elements and members`(_ number: Int) {
        let (stored, old, new, result) = Self.changes[number]
        #expect(stored.applying(changesFrom: old, to: new) == result)
    }
}
