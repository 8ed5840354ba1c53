/// An entry before its properties are decoded.
struct ODataRecord: Hashable, Sendable {
    var id: String?
    var etag: String?
    var type: String?
    var links: [ODataLink] = []
    var editLink: String?
    var mediaLink: String?
    var mediaType: String?
    var properties: [String: ODataNode] = [:]
}

/// A collection before its entries are decoded.
struct ODataRecords: Hashable, Sendable {
    var records: [ODataRecord] = []
    var count: Int?
    var nextLink: String?
}

extension ODataDocument {
    /// The only entry.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    func record() throws(ODataError) -> ODataRecord {
        switch self {
        case .xml(let root): try AtomReader.record(root)
        case .json(let value): try ODataJSONReader.record(value)
        }
    }

    /// The entries of a collection.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    func records() throws(ODataError) -> ODataRecords {
        switch self {
        case .xml(let root): try AtomReader.records(root)
        case .json(let value): try ODataJSONReader.records(value)
        }
    }
}
