import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A parser of the properties of an Atom entry (`content/m:properties`). It loads nothing from outside the document.
final class AtomEntryParser: NSObject, XMLParserDelegate {
    private var properties: [String: String?] = [:]
    private var depth = 0
    /// The depth of `m:properties` while inside of it.
    private var listDepth: Int?
    private var hasList = false
    private var text = ""
    private var isNull = false

    /// The properties by name, nil for null; nil if the document is not well-formed or has no `m:properties`.
    static func properties(of document: Data) -> [String: String?]? {
        // Foundation on Linux traps for an element or attribute whose name is not UTF-8, and for a processing
        // instruction without content.
        guard document.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) != nil,
            document.dropFirst().range(of: Data("<?".utf8)) == nil
        else { return nil }
        let delegate = AtomEntryParser()
        let parser = XMLParser(data: document)
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        guard parser.parse(), delegate.hasList else { return nil }
        return delegate.properties
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        depth += 1
        if elementName == "properties", namespaceURI == ODataNamespace.metadata, listDepth == nil {
            listDepth = depth
            hasList = true
        } else if listDepth == depth - 1 {
            text = ""
            isNull = attributes["m:null"] == "true" || attributes["null"] == "true"
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA data: Data) { text += String(decoding: data, as: UTF8.self) }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if listDepth == depth {
            listDepth = nil
        } else if listDepth == depth - 1, namespaceURI == ODataNamespace.data {
            properties.updateValue(isNull ? nil : text, forKey: elementName)
        }
        depth -= 1
    }
}
