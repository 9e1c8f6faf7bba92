/// The running state of a measure.
enum Accumulator {
    case count(Int64)
    case sum(ExactSum)
    case average(ExactSum, Int64)
    case extreme(DocumentValue?, wantsLargest: Bool)
    case distinct(Set<[UInt8]>)

    init(_ measure: Aggregation.Measure) {
        switch measure {
        case .count: self = .count(0)
        case .sum: self = .sum(ExactSum())
        case .average: self = .average(ExactSum(), 0)
        case .minimum: self = .extreme(nil, wantsLargest: false)
        case .maximum: self = .extreme(nil, wantsLargest: true)
        case .distinctCount: self = .distinct([])
        }
    }

    /// Adds a value; for counts, `nil` stands for a document.
    mutating func add(_ value: DocumentValue?) {
        switch self {
        case .count(let count): self = .count(count + 1)
        case .sum(var sum):
            sum.add(value)
            self = .sum(sum)
        case .average(var sum, let count):
            guard value?.numberValue != nil else { return }
            sum.add(value)
            self = .average(sum, count + 1)
        case .extreme(let known, let wantsLargest):
            guard let value else { return }
            guard let known else {
                self = .extreme(value, wantsLargest: wantsLargest)
                return
            }
            let order = ValueOrder.collate(value, known)
            if wantsLargest ? order > 0 : order < 0 { self = .extreme(value, wantsLargest: wantsLargest) }
        case .distinct(var values):
            guard let value else { return }
            self = .distinct([])
            values.insert(OrderedValue.encoded(value))
            self = .distinct(values)
        }
    }

    var result: DocumentValue {
        switch self {
        case .count(let count): .int(count)
        case .sum(let sum): sum.value
        case .average(let sum, let count): count == 0 ? .null : .double(sum.double / Double(count))
        case .extreme(let value, _): value ?? .null
        case .distinct(let values): .int(Int64(values.count))
        }
    }
}

/// A sum that is exact as long as all numbers are integers. Doubles are added with compensation (W. Kahan and A.
/// Neumaier), so that the order of documents affects at most the last digit.
struct ExactSum {
    private var whole: Int128 = 0
    private var fraction = 0.0
    private var correction = 0.0
    private var hasDoubles = false

    mutating func add(_ value: DocumentValue?) {
        switch value {
        // 128 bits cannot overflow, no matter how many documents there are.
        case .int(let number): whole += Int128(number)
        case .double(let number):
            hasDoubles = true
            let sum = fraction + number
            if sum.isFinite {
                correction += abs(fraction) >= abs(number) ? (fraction - sum) + number : (number - sum) + fraction
            }
            fraction = sum
        default: break
        }
    }

    var double: Double { Double(whole) + (fraction + correction) }

    /// An integer if only integers were added and the sum fits in 64 bits.
    var value: DocumentValue {
        if !hasDoubles, let sum = Int64(exactly: whole) { return .int(sum) }
        return .double(double)
    }
}
