import HTTPMessages

/// Reads entries in JSON: those of OData 2, which are in a member `d`, and those of OData 4 and 3.
enum ODataJSONReader {
    /// Reads `{"d": {...}}`, or an entry of OData 4.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    static func record(_ root: JSONValue) throws(ODataError) -> ODataRecord {
        if isVersion4(root), let record = try OData4JSONReader.record(root) { return record }
        guard let entry = root["d"], let members = entry.object, entry["results"]?.array == nil else {
            throw ODataError(
                .unexpectedDocument,
                "Expected an entry, {\"d\": {...}}, found \(root["d"] == nil ? "other JSON" : "a collection").")
        }
        return record(members)
    }

    /// Reads `{"d": {"results": [...]}}`, `{"d": [...]}` of OData 1, and a collection of OData 4.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    static func records(_ root: JSONValue) throws(ODataError) -> ODataRecords {
        if isVersion4(root), let records = try OData4JSONReader.records(root) { return records }
        let content = root["d"]
        guard let elements = content?["results"]?.array ?? content?.array else {
            throw ODataError(
                .unexpectedDocument,
                "Expected a collection, {\"d\": {\"results\": [...]}}, found "
                    + (content == nil ? "other JSON." : "an entry."))
        }
        var records = ODataRecords()
        for (index, element) in elements.enumerated() {
            records.records.append(record(try members(of: element, at: index)))
        }
        // A string in OData 2, a number from some servers.
        let count = content?["__count"]
        records.count = count?.string.flatMap { Int($0) } ?? count?.integer.map { Int($0) }
        records.nextLink = content?["__next"]?.string
        return records
    }

    /// A document of OData 4 may have a property `d`.
    private static func isVersion4(_ root: JSONValue) -> Bool {
        root["d"] == nil || root["@odata.context"] != nil || root["@context"] != nil || root["odata.metadata"] != nil
    }

    /// The members of an element of a collection.
    static func members(of element: JSONValue, at index: Int) throws(ODataError) -> [String: JSONValue] {
        guard let members = element.object else {
            throw ODataError(.unexpectedDocument, "entries[\(index)] is not an object.", element: "entries[\(index)]")
        }
        return members
    }

    private static func record(_ members: [String: JSONValue]) -> ODataRecord {
        let metadata = members["__metadata"]
        var record = ODataRecord()
        record.id = metadata?["id"]?.string ?? metadata?["uri"]?.string
        record.etag = metadata?["etag"]?.string
        record.type = metadata?["type"]?.string
        record.editLink = metadata?["uri"]?.string
        record.mediaLink = metadata?["media_src"]?.string
        record.mediaType = metadata?["content_type"]?.string
        record.properties = properties(members)
        record.links = record.properties.sorted { $0.key < $1.key }.compactMap { name, value in
            guard case .deferred(let href) = value else { return nil }
            return ODataLink(relation: XMLNamespace.related + name, title: name, href: href, type: nil)
        }
        return record
    }

    private static func properties(_ members: [String: JSONValue]) -> [String: ODataNode] {
        members.filter { $0.key != "__metadata" }.mapValues(node)
    }

    private static func node(_ value: JSONValue) -> ODataNode {
        switch value {
        case .null: return .null
        case .string(let text): return .text(text, type: nil)
        case .bool, .integer, .number: return .literal(value)
        case .array(let elements): return .array(elements.map(node))
        case .object(let members):
            if let uri = members["__deferred"]?["uri"]?.string { return .deferred(uri) }
            // An expanded navigation property to several entries.
            if let results = members["results"]?.array {
                return .array(results.map(node), next: members["__next"]?.string)
            }
            return .object(properties(members))
        }
    }
}
