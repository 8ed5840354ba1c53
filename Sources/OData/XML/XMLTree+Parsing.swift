import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension XMLTree {
    /// Parses a document.
    ///
    /// A document type declaration is refused before the parser sees it: OData has none, and only through it can a
    /// small document define entities that expand to a huge one, or refer to files.
    /// - Throws: ``ODataError`` (`malformed`, `limitExceeded`).
    init(parsing data: Data, limits: XMLTreeBuilder.Limits = XMLTreeBuilder.Limits()) throws(ODataError) {
        let data = try XMLScan.readable(XMLProlog(data).document(), limit: limits.attributes)
        let parser = XMLParser(data: data)
        let receiver = XMLEventReceiver(limits: limits)
        parser.delegate = receiver
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        let isComplete = parser.parse()
        if let error = receiver.error { throw error }
        guard isComplete, let root = receiver.builder.root else {
            throw .invalidXML(parser)
        }
        self = root
    }
}

extension ODataError {
    /// The position of a parser's error.
    fileprivate static func invalidXML(_ parser: XMLParser) -> ODataError {
        ODataError(.malformed, "Invalid XML at line \(parser.lineNumber), column \(parser.columnNumber).")
    }
}

/// Passes a parser's events to a builder, and stops the parser at the first error.
private final class XMLEventReceiver: NSObject, XMLParserDelegate {
    var builder: XMLTreeBuilder
    var error: ODataError?

    init(limits: XMLTreeBuilder.Limits) { builder = XMLTreeBuilder(limits: limits) }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard error == nil else { return }
        do throws(ODataError) {
            try builder.start(elementName, attributes)
        } catch {
            self.error = error
            parser.abortParsing()
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if error == nil { builder.end() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if error == nil { builder.append(string) }
    }

    // On Linux, a document with text after its root is reported here only.
    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        error = error ?? .invalidXML(parser)
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if error == nil { builder.append(String(decoding: block, as: UTF8.self)) }
    }
}
