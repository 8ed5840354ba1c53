import HTTPMessages

/// Reads entries of OData 2 in Atom.
enum AtomReader {
    private static let atom = XMLNamespace.atom
    private static let metadata = XMLNamespace.metadata

    /// Reads an `entry` element.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    static func record(_ root: XMLTree) throws(ODataError) -> ODataRecord {
        guard root.name == "entry", root.namespace == atom else {
            throw ODataError(.unexpectedDocument, "Expected an Atom entry, found \(name(of: root)).")
        }
        return record(entry: root, base: nil)
    }

    /// Reads a `feed` element.
    /// - Throws: ``ODataError`` (`unexpectedDocument`).
    static func records(_ root: XMLTree) throws(ODataError) -> ODataRecords {
        guard root.name == "feed", root.namespace == atom else {
            throw ODataError(.unexpectedDocument, "Expected an Atom feed, found \(name(of: root)).")
        }
        return records(feed: root, base: nil)
    }

    private static func name(of root: XMLTree) -> String {
        "the element \(root.name.prefix(40).debugDescription)"
            + (root.namespace == atom ? "" : " of the namespace \(root.namespace.prefix(80).debugDescription)")
    }

    private static func records(feed: XMLTree, base: String?) -> ODataRecords {
        let base = feed.base(in: base)
        var records = ODataRecords()
        records.records = feed.all("entry", in: atom).map { record(entry: $0, base: base) }
        records.count = (feed.first("count", in: metadata)?.trimmedText).flatMap { Int($0) }
        let next = feed.all("link", in: atom).first { $0[attribute: "rel"] == "next" }
        records.nextLink = next?[attribute: "href"].map { resolved($0, in: base) }
        return records
    }

    private static func record(entry: XMLTree, base: String?) -> ODataRecord {
        let base = entry.base(in: base)
        let content = entry.first("content", in: atom)
        var record = ODataRecord()
        record.id = entry.first("id", in: atom)?.trimmedText
        record.etag = entry[attribute: "etag", in: metadata]
        record.type = entry.first("category", in: atom)?[attribute: "term"]
        record.mediaLink = content?[attribute: "src"].map { resolved($0, in: base) }
        record.mediaType = record.mediaLink == nil ? nil : content?[attribute: "type"]
        // The properties of a media link entry are outside of its content.
        let properties = content?.first("properties", in: metadata) ?? entry.first("properties", in: metadata)
        for link in entry.all("link", in: atom) { add(link, to: &record, base: base) }
        for property in properties?.children ?? [] { record.properties[property.name] = node(property) }
        return record
    }

    private static func add(_ element: XMLTree, to record: inout ODataRecord, base: String?) {
        guard let href = element[attribute: "href"] else { return }
        let link = ODataLink(
            relation: element[attribute: "rel"] ?? "alternate", title: element[attribute: "title"],
            href: resolved(href, in: base), type: element[attribute: "type"])
        record.links.append(link)
        if link.relation == "edit" { record.editLink = link.href }
        guard link.relation.hasPrefix(XMLNamespace.related) else { return }
        let name = String(link.relation.dropFirst(XMLNamespace.related.count))
        guard let inline = element.first("inline", in: metadata) else {
            record.properties[name] = .deferred(link.href)
            return
        }
        if let feed = inline.first("feed", in: atom) {
            let entries = records(feed: feed, base: base).records
            record.properties[name] = .array(entries.map { .object($0.properties) })
        } else {
            // An empty inline element is a relation to no entry.
            let entry = inline.first("entry", in: atom)
            record.properties[name] = entry.map { .object(self.record(entry: $0, base: base).properties) } ?? .null
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

    static func resolved(_ href: String, in base: String?) -> String {
        guard let base else { return href }
        return URLReference(href[...]).resolved(against: URLReference(base[...])).text
    }
}

extension XMLTree {
    /// The element's `xml:base`, resolved against that of its parent.
    fileprivate func base(in parent: String?) -> String? {
        self[attribute: "base", in: XMLNamespace.xml].map { AtomReader.resolved($0, in: parent) } ?? parent
    }
}
