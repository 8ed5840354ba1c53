import HTTPMessages

/// Reads entries of OData 4 in JSON, whose annotations are members such as `@odata.etag`.
///
/// In OData 4.01 also `@etag`; in OData 3 `odata.etag`.
struct OData4JSONReader {
    /// The URL against which those of the document are resolved.
    private let base: String?
    private var links = ODataLinkResolver()

    private init(base: String?) throws(ODataError) {
        self.base = if let base { try ODataLinkResolver.base(base) } else { nil }
    }

    /// Reads an entry, which is told by its context; nil for other JSON.
    /// - Throws: ``ODataError`` (`limitExceeded`).
    static func record(_ root: JSONValue) throws(ODataError) -> ODataRecord? {
        // Without the end of an entry's context, `value` is that of a single property.
        guard let members = root.object, let context = context(of: members),
            members["value"] == nil || context.hasSuffix("/$entity") || context.hasSuffix("/@Element")
        else { return nil }
        var reader = try OData4JSONReader(base: context)
        return try reader.record(members)
    }

    /// Reads `{"value": [...]}`; nil for other JSON.
    /// - Throws: ``ODataError`` (`unexpectedDocument`) for an element that is not an object; `limitExceeded`.
    static func records(_ root: JSONValue) throws(ODataError) -> ODataRecords? {
        guard let members = root.object, let elements = members["value"]?.array else { return nil }
        var reader = try OData4JSONReader(base: context(of: members))
        var records = ODataRecords()
        for (index, element) in elements.enumerated() {
            records.records.append(try reader.record(ODataJSONReader.members(of: element, at: index)))
        }
        // A string if the client has asked for numbers as strings.
        let count = members["@odata.count"] ?? members["@count"] ?? members["odata.count"]
        records.count = count?.integer.map { Int($0) } ?? count?.string.flatMap { Int($0) }
        records.nextLink = try reader.link("nextLink", of: members)
        return records
    }

    private mutating func record(_ members: [String: JSONValue]) throws(ODataError) -> ODataRecord {
        var record = ODataRecord()
        record.id = try link("id", of: members)
        record.etag = Self.annotation("etag", of: members)
        // A fragment, as that of the metadata.
        record.type = Self.annotation("type", of: members).map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
        record.editLink = try link("editLink", of: members) ?? record.id
        record.mediaLink = try link("mediaReadLink", of: members)
        record.mediaType = Self.annotation("mediaContentType", of: members)
        record.properties = try properties(members)
        record.links = record.properties.sorted { $0.key < $1.key }.compactMap { name, value in
            guard case .deferred(let href) = value else { return nil }
            return ODataLink(relation: XMLNamespace.related + name, title: name, href: href, type: nil)
        }
        return record
    }

    private mutating func properties(_ members: [String: JSONValue]) throws(ODataError) -> [String: ODataNode] {
        var properties: [String: ODataNode] = [:]
        for (name, value) in members {
            guard let mark = name.firstIndex(of: "@") else {
                // An annotation of OData 3; the name of a property has no dot.
                if name.utf8.starts(with: "odata.".utf8) { continue }
                properties[name] = try node(value)
                if case .array(let elements, _)? = properties[name],
                    let next = try link("nextLink", on: name, of: members)
                {
                    properties[name] = .array(elements, next: next)
                }
                continue
            }
            // `Crew@odata.navigationLink`, beside the navigation property only if it is expanded.
            let property = String(name[..<mark])
            guard ["@odata.navigationLink", "@navigationLink", "@odata.navigationLinkUrl"].contains(name[mark...]),
                members[property] == nil, let href = value.string
            else { continue }
            properties[property] = .deferred(try links.resolved(href, in: base))
        }
        return properties
    }

    private mutating func node(_ value: JSONValue) throws(ODataError) -> ODataNode {
        switch value {
        case .null: return .null
        case .string(let text): return .text(text, type: nil)
        case .bool, .integer, .number: return .literal(value)
        case .array(let elements):
            var nodes: [ODataNode] = []
            for element in elements { nodes.append(try node(element)) }
            return .array(nodes)
        case .object(let members): return .object(try properties(members))
        }
    }

    /// - Parameter property: the property that has the annotation; empty for the object.
    private mutating func link(
        _ name: String, on property: String = "", of members: [String: JSONValue]
    ) throws(ODataError) -> String? {
        guard let link = Self.annotation(name, on: property, of: members) else { return nil }
        return try links.resolved(link, in: base)
    }

    private static func annotation(
        _ name: String, on property: String = "", of members: [String: JSONValue]
    ) -> String? {
        let value = members[property + "@odata." + name] ?? members[property + "@" + name]
        return (value ?? (property.isEmpty ? members["odata." + name] : nil))?.string
    }

    /// The context, in OData 3 the metadata's URL.
    private static func context(of members: [String: JSONValue]) -> String? {
        annotation("context", of: members) ?? members["odata.metadata"]?.string
    }
}
