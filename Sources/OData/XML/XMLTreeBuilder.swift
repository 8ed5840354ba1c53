/// Builds an ``XMLTree`` from a parser's events, within limits that a hostile document cannot exceed.
///
/// ```
/// empty -start-> open -start, text-> open -end of the root-> complete
/// ```
/// Any other event, and one beyond a limit, is an error.
struct XMLTreeBuilder {
    /// Limits of a document.
    struct Limits: Hashable, Sendable {
        /// Nesting of elements.
        var depth = 100
        /// Elements and attributes together.
        var nodes = 1_000_000
        /// Attributes of one element, with declarations of namespaces.
        var attributes = 256
        /// Namespace prefixes in scope.
        var prefixes = 64
    }

    private struct OpenElement {
        var tree: XMLTree
        let prefixes: [String: String]
    }

    let limits: Limits
    /// The root element of a complete document.
    private(set) var root: XMLTree?
    private var open: [OpenElement] = []
    private var nodeCount = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Starts an element.
    /// - Parameters:
    ///   - name: with its prefix.
    ///   - attributes: by name with prefix, including the declarations of namespaces.
    /// - Throws: ``ODataError`` (`limitExceeded`, `malformed`).
    mutating func start(_ name: String, _ attributes: [String: String]) throws(ODataError) {
        guard root == nil else { throw ODataError(.malformed, "The XML document has more than one root element.") }
        nodeCount += 1 + attributes.count
        guard nodeCount <= limits.nodes else {
            throw ODataError(.limitExceeded, "The XML document has more than \(limits.nodes) elements and attributes.")
        }
        guard open.count < limits.depth else {
            throw ODataError(.limitExceeded, "The XML document is nested more than \(limits.depth) levels deep.")
        }
        var prefixes = open.last?.prefixes ?? ["xml": XMLNamespace.xml]
        for (name, value) in attributes {
            if name == "xmlns" {
                prefixes[""] = value
            } else if name.hasPrefix("xmlns:") {
                prefixes[String(name.dropFirst(6))] = value
            }
        }
        guard prefixes.count <= limits.prefixes else {
            throw ODataError(
                .limitExceeded, "The XML document has more than \(limits.prefixes) namespace prefixes in scope.")
        }
        let (prefix, local) = Self.split(name)
        let plain = attributes.filter { $0.key != "xmlns" && !$0.key.hasPrefix("xmlns:") }.map { name, value in
            let (prefix, local) = Self.split(name)
            // Unlike an element, an attribute without a prefix is in no namespace.
            let namespace = prefix.isEmpty ? "" : prefixes[prefix] ?? ""
            return XMLTree.Attribute(namespace: namespace, name: local, value: value)
        }
        let tree = XMLTree(namespace: prefixes[prefix] ?? "", name: local, attributes: plain)
        open.append(OpenElement(tree: tree, prefixes: prefixes))
    }

    /// Appends text to the innermost open element.
    mutating func append(_ text: String) {
        guard !open.isEmpty else { return }
        open[open.count - 1].tree.text += text
    }

    /// Ends the innermost open element.
    mutating func end() {
        guard let ended = open.popLast()?.tree else { return }
        if open.isEmpty { root = ended } else { open[open.count - 1].tree.children.append(ended) }
    }

    private static func split(_ name: String) -> (prefix: String, local: String) {
        guard let colon = name.firstIndex(of: ":") else { return ("", name) }
        return (String(name[..<colon]), String(name[colon...].dropFirst()))
    }
}
