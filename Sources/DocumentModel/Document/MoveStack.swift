/// A stack whose upper part can be moved out as an array.
///
/// A parser does not know in advance how many elements an array has. It pushes them here and finally moves them into an
/// array of exactly the right size. That takes one allocation per array and no reference counting.
///
/// Input decides what is pushed, but never a position: the parsers pass positions that they noted when they pushed. The
/// checks against `count` also run in release builds, and stop the program only if a parser is wrong. A stack with an
/// element has a buffer, so once a check has found one, `base` may be unwrapped without a check of its own.
@safe
struct MoveStack<Element>: ~Copyable {
    // Invariant: `base[0..<count]` is initialized, the rest up to `capacity` is not.
    private var base: UnsafeMutablePointer<Element>?
    private var capacity = 0
    private(set) var count = 0

    init() {
        unsafe base = nil
    }

    deinit {
        guard let base = unsafe base else { return }
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    /// The element at `position`, counted from the bottom.
    subscript(position: Int) -> Element {
        precondition(position >= 0 && position < count, "The position lies outside the stack.")
        // The buffer exists, because it contains the element at `position`.
        return unsafe base.unsafelyUnwrapped[position]
    }

    /// Whether an element from `start` to the top satisfies `condition`.
    ///
    /// The condition gets a pointer: passing the element would copy all of it, and count references.
    func contains(from start: Int, where condition: (UnsafePointer<Element>) -> Bool) -> Bool {
        precondition(start >= 0 && start <= count, "The start lies outside the stack.")
        guard start < count, let base = unsafe base else { return false }
        for position in start..<count where unsafe condition(base + position) { return true }
        return false
    }

    /// Pushes `element`.
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        // The buffer exists, because `count` is below `capacity`, which is zero until `grow` has allocated the buffer.
        unsafe (base.unsafelyUnwrapped + count).initialize(to: element)
        count += 1
    }

    /// Changes the top element in place.
    mutating func updateLast(_ update: (inout Element) -> Void) {
        precondition(count > 0, "The stack is empty.")
        // The buffer exists, because the stack is not empty.
        unsafe update(&base.unsafelyUnwrapped[count - 1])
    }

    /// Removes and returns the top element.
    mutating func pop() -> Element {
        precondition(count > 0, "The stack is empty.")
        count -= 1
        // The buffer exists, because the stack was not empty.
        return unsafe (base.unsafelyUnwrapped + count).move()
    }

    /// Moves the elements from `start` to the top into an array.
    mutating func popArray(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count, "The start lies outside the stack.")
        guard start < count, let base = unsafe base else { return [] }
        // `Array(unsafeUninitializedCapacity:)` is not specialized: it would look up the type of its buffer each time.
        var array: [Element] = []
        array.reserveCapacity(count - start)
        for position in start..<count { unsafe array.append((base + position).move()) }
        count = start
        return array
    }

    private mutating func grow() {
        let larger = max(16, capacity * 2)
        let new = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let old = unsafe base {
            unsafe new.moveInitialize(from: old, count: count)
            unsafe old.deallocate()
        }
        unsafe base = new
        capacity = larger
    }
}
