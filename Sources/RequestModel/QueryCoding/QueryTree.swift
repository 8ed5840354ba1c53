import HTTPMessages

/// The parameters of a query by the parts of their names: a tree of values, properties and elements.
final class QueryTree {
    /// The values of the parameters of exactly this name, in order.
    private(set) var values: [String?] = []
    /// Properties and elements in the order of their first parameters.
    private(set) var names: [String] = []
    private var children: [String: QueryTree] = [:]

    init() {}

    init(_ query: Query, _ style: QueryStyle) throws(HTTPMessageError) {
        for item in query {
            var node = self
            let parts = style.nesting.parts(of: item.name)
            guard parts.count <= QueryFault.maximumDepth else {
                throw QueryFault.unreadable(
                    item.name, "is nested in more than \(QueryFault.maximumDepth) levels; use fewer.")
            }
            for part in parts { node = node.childOrNew(part) }
            node.values.append(item.value)
        }
    }

    /// True if there are neither values nor properties.
    var isEmpty: Bool { values.isEmpty && children.isEmpty }

    /// The part of the tree for a name, which may have several parts.
    func child(_ name: String, _ style: QueryStyle) -> QueryTree? {
        if let child = children[name] { return child }
        return style.nesting.parts(of: name).reduce(Optional(self)) { $0?.children[$1] }
    }

    /// The elements of an array: first those without an index, then the others in the order of their indices.
    func elements(_ style: QueryStyle) -> [QueryTree] {
        var texts = values
        if texts.count == 1, let text = texts[0], style.arrays.delimiter != nil {
            texts = style.arrays.elements(of: text)
        }
        let indexed = names.compactMap { name in name.arrayIndex.map { (index: $0, name: name) } }
            .sorted { $0.index < $1.index }
        return texts.map(QueryTree.init(value:)) + indexed.compactMap { children[$0.name] }
    }

    /// The tree of an object, whose properties may share one parameter: its names and values by turns.
    /// - Parameter name: of the parameter, for the error.
    func object(_ style: QueryStyle, _ name: String?) throws(HTTPMessageError) -> QueryTree {
        guard let delimiter = style.nesting.delimiter?.utf8.first, values.count == 1, let text = values[0] else {
            return self
        }
        guard children.isEmpty else {
            throw QueryFault.unreadable(
                name ?? "", "has properties of its own beside its value; expected all in one parameter, or none.")
        }
        let object = QueryTree()
        if text.isEmpty { return object }
        let parts = text.utf8.split(separator: delimiter, omittingEmptySubsequences: false)
        guard parts.count.isMultiple(of: 2) else {
            throw QueryFault.unreadable(
                name ?? "", "has a name without a value; expected names and values with the delimiter between.")
        }
        for index in stride(from: 0, to: parts.count, by: 2) {
            let property = object.childOrNew(String(Substring(parts[index])))
            guard property.values.isEmpty else {
                throw QueryFault.unreadable(name ?? "", "has a name twice; expected each once.")
            }
            property.values.append(String(Substring(parts[index + 1])))
        }
        return object
    }

    private init(value: String?) { values = [value] }

    private func childOrNew(_ name: String) -> QueryTree {
        if let child = children[name] { return child }
        let child = QueryTree()
        children[name] = child
        names.append(name)
        return child
    }
}

extension String {
    fileprivate var arrayIndex: Int? {
        utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(self) : nil
    }
}

extension QueryStyle.Nesting {
    /// The parts of a parameter's name: `a`, `b` and `0` of `a[b][0]` or `a.b[0]`. Brackets at its end that are empty
    /// count as no part. A name with other brackets is one part.
    func parts(of name: String) -> [String] {
        guard name.utf8.contains(where: \.isStructureOfQueryName) else { return [name] }
        guard self == .dots else { return Self.bracketParts(of: name[...]) }
        return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .flatMap { Self.bracketParts(of: Substring($0)) }
    }

    private static func bracketParts(of name: Substring) -> [String] {
        let whole = [String(name)]
        guard let start = name.utf8.firstIndex(of: UInt8(ascii: "[")), start > name.startIndex,
            name.utf8.last == UInt8(ascii: "]")
        else { return whole }
        var parts = [String(name[..<start])]
        var rest = name[start...].utf8
        while rest.popFirst() == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) {
            parts.append(String(Substring(rest[..<end])))
            rest = rest[end...].dropFirst()
            if rest.isEmpty {
                if parts.last == "" { parts.removeLast() }
                return parts
            }
        }
        return whole
    }
}
