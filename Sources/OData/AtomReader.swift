import HTTPMessages

/// Reads entries of OData 2 in Atom.
struct AtomReader {
    private static let atom = XMLNamespace.atom
    private static let metadata = XMLNamespace.metadata

    private var links = ODataLinkResolver()

    /// Reads an `entry` element.
    /// - Throws: ``ODataError`` (`unexpectedDocument`, `limitExceeded`).
    static func record(_ root: XMLTree) throws(ODataError) -> ODataRecord {
        guard root.name == "entry", root.namespace == atom else {
            throw ODataError(.unexpectedDocument, "Expected an Atom entry, found \(name(of: root)).")
        }
        var reader = AtomReader()
        return try reader.record(entry: root, base: nil)
    }

    /// Reads a `feed` element.
    /// - Throws: ``ODataError`` (`unexpectedDocument`, `limitExceeded`).
    static func records(_ root: XMLTree) throws(ODataError) -> ODataRecords {
        guard root.name == "feed", root.namespace == atom else {
            throw ODataError(.unexpectedDocument, "Expected an Atom feed, found \(name(of: root)).")
        }
        var reader = AtomReader()
        return try reader.records(feed: root, base: nil)
    }

    private static func name(of root: XMLTree) -> String {
        "the element \(root.name.excerpt(40).debugDescription)"
            + (root.namespace == atom ? "" : " of the namespace \(root.namespace.excerpt(80).debugDescription)")
    }

    private mutating func records(feed: XMLTree, base: String?) throws(ODataError) -> ODataRecords {
        let base = try self.base(of: feed, in: base)
        var records = ODataRecords()
        for entry in feed.all("entry", in: Self.atom) { records.records.append(try record(entry: entry, base: base)) }
        records.count = (feed.first("count", in: Self.metadata)?.trimmedText).flatMap { Int($0) }
        let next = feed.all("link", in: Self.atom).first { $0[attribute: "rel"] == "next" }
        if let href = next?[attribute: "href"] { records.nextLink = try links.resolved(href, in: base) }
        return records
    }

    private mutating func record(entry: XMLTree, base: String?) throws(ODataError) -> ODataRecord {
        let base = try self.base(of: entry, in: base)
        let content = entry.first("content", in: Self.atom)
        var record = ODataRecord()
        record.id = entry.first("id", in: Self.atom)?.trimmedText
        record.etag = entry[attribute: "etag", in: Self.metadata]
        record.type = entry.first("category", in: Self.atom)?[attribute: "term"]
        if let source = content?[attribute: "src"] { record.mediaLink = try links.resolved(source, in: base) }
        record.mediaType = record.mediaLink == nil ? nil : content?[attribute: "type"]
        // The properties of a media link entry are outside of its content.
        let properties = content?.first("properties", in: Self.metadata) ?? entry.first("properties", in: Self.metadata)
        for link in entry.all("link", in: Self.atom) { try add(link, to: &record, base: base) }
        for property in properties?.children ?? [] { record.properties[property.name] = Self.node(property) }
        return record
    }

    private mutating func add(
        _ element: XMLTree, to record: inout ODataRecord, base: String?
    ) throws(ODataError) {
        guard let href = element[attribute: "href"] else { return }
        let link = ODataLink(
            relation: element[attribute: "rel"] ?? "alternate", title: element[attribute: "title"],
            href: try links.resolved(href, in: base), type: element[attribute: "type"])
        record.links.append(link)
        if link.relation == "edit" { record.editLink = link.href }
        guard link.relation.hasPrefix(XMLNamespace.related) else { return }
        let name = String(link.relation.dropFirst(XMLNamespace.related.count))
        guard let inline = element.first("inline", in: Self.metadata) else {
            record.properties[name] = .deferred(link.href)
            return
        }
        if let feed = inline.first("feed", in: Self.atom) {
            let part = try records(feed: feed, base: base)
            record.properties[name] = .array(part.records.map { .object($0.properties) }, next: part.nextLink)
        } else if let entry = inline.first("entry", in: Self.atom) {
            record.properties[name] = .object(try self.record(entry: entry, base: base).properties)
        } else {
            // An empty inline element is a relation to no entry.
            record.properties[name] = .null
        }
    }

    private static func node(_ property: XMLTree) -> ODataNode {
        if property[attribute: "null", in: metadata] == "true" { return .null }
        let type = property[attribute: "type", in: metadata]
        if type?.hasPrefix("Collection(") ?? false { return .array(property.children.map(node)) }
        guard !property.children.isEmpty else {
            // A type of the service's own is complex; all others are Edm's.
            return type.map { $0.hasPrefix("Edm.") } ?? true ? .text(property.text, type: type) : .object([:])
        }
        return .object(property.children.reduce(into: [:]) { $0[$1.name] = node($1) })
    }

    /// The `xml:base` of an element, resolved against that of its parent.
    private mutating func base(of element: XMLTree, in parent: String?) throws(ODataError) -> String? {
        guard let base = element[attribute: "base", in: XMLNamespace.xml] else { return parent }
        return try ODataLinkResolver.base(links.resolved(base, in: parent))
    }
}
