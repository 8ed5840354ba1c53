import HTTPMessages

/// Reads entries of OData 4 in JSON, whose annotations are members such as `@odata.etag`; in OData 4.01 also `@etag`.
enum OData4JSONReader {
    /// Reads an entry, which is told by its context; nil for other JSON.
    static func record(_ root: JSONValue) -> ODataRecord? {
        // Without the end of an entry's context, `value` is that of a single property.
        guard let members = root.object, let context = annotation("context", of: members),
            members["value"] == nil || context.hasSuffix("/$entity")
        else { return nil }
        return record(members, base: context)
    }

    /// Reads `{"value": [...]}`; nil for other JSON.
    /// - Throws: ``ODataError`` (`unexpectedDocument`) for an element that is not an object.
    static func records(_ root: JSONValue) throws(ODataError) -> ODataRecords? {
        guard let members = root.object, let elements = members["value"]?.array else { return nil }
        let base = annotation("context", of: members)
        var records = ODataRecords()
        for (index, element) in elements.enumerated() {
            records.records.append(record(try ODataJSONReader.members(of: element, at: index), base: base))
        }
        // A string if the client has asked for numbers as strings.
        let count = members["@odata.count"] ?? members["@count"]
        records.count = count?.integer.map { Int($0) } ?? count?.string.flatMap { Int($0) }
        records.nextLink = annotation("nextLink", of: members).map { AtomReader.resolved($0, in: base) }
        return records
    }

    /// - Parameter base: the URL against which those of the entry are resolved.
    private static func record(_ members: [String: JSONValue], base: String?) -> ODataRecord {
        func link(_ name: String) -> String? {
            annotation(name, of: members).map { AtomReader.resolved($0, in: base) }
        }
        var record = ODataRecord()
        record.id = link("id")
        record.etag = annotation("etag", of: members)
        // A fragment, as that of the metadata.
        record.type = annotation("type", of: members).map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
        record.editLink = link("editLink") ?? record.id
        record.mediaLink = link("mediaReadLink")
        record.mediaType = annotation("mediaContentType", of: members)
        record.properties = properties(members, base: base)
        record.links = record.properties.sorted { $0.key < $1.key }.compactMap { name, value in
            guard case .deferred(let href) = value else { return nil }
            return ODataLink(relation: XMLNamespace.related + name, title: name, href: href, type: nil)
        }
        return record
    }

    private static func properties(_ members: [String: JSONValue], base: String?) -> [String: ODataNode] {
        var properties: [String: ODataNode] = [:]
        for (name, value) in members {
            guard let mark = name.firstIndex(of: "@") else {
                properties[name] = node(value, base: base)
                continue
            }
            // `Crew@odata.navigationLink`, beside the navigation property only if it is expanded.
            let property = String(name[..<mark])
            guard ["@odata.navigationLink", "@navigationLink"].contains(name[mark...]), members[property] == nil,
                let href = value.string
            else { continue }
            properties[property] = .deferred(AtomReader.resolved(href, in: base))
        }
        return properties
    }

    private static func node(_ value: JSONValue, base: String?) -> ODataNode {
        switch value {
        case .null: .null
        case .string(let text): .text(text, type: nil)
        case .bool, .integer, .number: .literal(value)
        case .array(let elements): .array(elements.map { node($0, base: base) })
        case .object(let members): .object(properties(members, base: base))
        }
    }

    private static func annotation(_ name: String, of members: [String: JSONValue]) -> String? {
        (members["@odata." + name] ?? members["@" + name])?.string
    }
}
