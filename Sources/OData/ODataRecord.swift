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
        var record =
            switch self {
            case .xml(let root): try AtomReader.record(root)
            case .json(let value): try ODataJSONReader.record(value)
            }
        record.addNextLinks()
        return record
    }

    /// The entries of a collection.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    func records() throws(ODataError) -> ODataRecords {
        var records =
            switch self {
            case .xml(let root): try AtomReader.records(root)
            case .json(let value): try ODataJSONReader.records(value)
            }
        for index in records.records.indices { records.records[index].addNextLinks() }
        return records
    }
}

extension ODataRecord {
    /// Adds the links to the further entries of expanded properties.
    fileprivate mutating func addNextLinks() {
        ODataNode.object(properties).addNextLinks(to: &links, path: ODataPath(entry: ""))
    }
}

extension ODataNode {
    fileprivate func addNextLinks(to links: inout [ODataLink], path: ODataPath) {
        switch self {
        case .null, .text, .literal, .deferred: break
        case .object(let members):
            for (name, value) in members.filter(\.value.isContainer).sorted(by: { $0.key < $1.key }) {
                value.addNextLinks(to: &links, path: path.appending(name.codingKey))
            }
        case .array(let elements, let next):
            if let next { links.append(ODataLink(relation: "next", title: path.text, href: next, type: nil)) }
            for (index, element) in elements.enumerated() where element.isContainer {
                element.addNextLinks(to: &links, path: path.appending(ODataPath.Index(index)))
            }
        }
    }

    private var isContainer: Bool {
        switch self {
        case .object, .array: true
        case .null, .text, .literal, .deferred: false
        }
    }
}
