/// One of the two stores that are compared. Each operation returns a number that tells what was read or done, so that
/// both sides can be checked to have done the same.
protocol Side: AnyObject {
    /// What the side puts in from memory: a document that is decoded, in the form that costs the side least.
    associatedtype Prepared

    /// Opens the store in a directory; makes one where there is none.
    init(directory: String) throws
    func close() throws

    static func prepare(_ text: [UInt8]) throws -> Prepared

    /// Puts in every record that `next` gives, from JSON text, and makes them survive the loss of power.
    func load(texts next: () throws -> [UInt8]?) throws
    /// Puts in records that are decoded, and makes them survive the loss of power.
    func load(prepared: [Prepared]) throws
    /// Puts in one new record in a commit of its own.
    func commit(_ record: Prepared) throws
    /// The same, and the commit survives the loss of power.
    func commitSynced(_ record: Prepared) throws

    /// The number of members of the document.
    func get(_ id: String) throws -> UInt64
    /// The number of members of these documents in all.
    func get(_ ids: [String]) throws -> UInt64
    /// Changes a field that an index holds.
    func updateIndexed(_ id: String, year: Int) throws
    /// Changes a field that no index holds.
    func updateUnindexed(_ id: String, title: String) throws
    func delete(_ id: String) throws
    /// Changes a field that no index holds in all documents from a year on, all or nothing. The number of documents.
    func updateManyUnindexed(from year: Int, rating: Int) throws -> UInt64
    /// Changes a field that an index holds in all documents from a year on, all or nothing. The number of documents.
    func updateManyIndexed(from year: Int, acquired: Int) throws -> UInt64

    /// The document as JSON; `nil` if there is none.
    func json(_ id: String) throws -> [UInt8]?
    func count() throws -> Int
    /// The number of documents with this year, this year of acquisition, this keyword, and this creator from that year
    /// on: one question to each index.
    func counts(_ probe: Probe) throws -> [Int]

    /// Gives back the space that is not needed.
    func compact() throws
}

/// Values to ask each index for.
struct Probe {
    var year: Int
    var acquired: Int
    var keyword: String
    var creator: String
}
