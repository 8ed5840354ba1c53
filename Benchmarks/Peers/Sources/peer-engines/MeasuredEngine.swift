/// A client that is measured, over connections that it keeps open.
protocol MeasuredEngine: Sendable {
    var name: String { get }

    /// Gets an item and decodes it by Foundation's decoder.
    func get() async throws -> Item

    /// Posts an item that Foundation's encoder writes, and decodes the response.
    func post(_ item: Item) async throws -> Item

    /// Reads a body in pieces, as they arrive.
    /// - Returns: the number of bytes.
    func read(byteCount: Int) async throws -> Int
}
