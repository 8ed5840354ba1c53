/// Types of the variables, properties and parameters of one file, as far as they are evident.
///
/// The last declaration before a use counts whose block contains the use, or else the first one after it.
struct Variables {
    /// A type of a vendor.
    struct Known {
        var type: String
        var vendor: Int
        /// The member whose result a variable is, if that is not an optional in the module.
        var neverNilMember: String?
    }

    private struct Declaration {
        var index: Int
        /// The end of the block that the declaration holds for.
        var end: Int
        /// Nil for a type of another module or of the app.
        var known: Known?
        /// The name of such a type, if the declaration shows it.
        var other: String?
    }

    /// Declarations of one name that are looked at.
    private static let maximumSteps = 64

    /// In the order of the file.
    private var declarations: [String: [Declaration]] = [:]
    /// What later assignments show, in the order of the file.
    private var assignments: [String: [Declaration]] = [:]

    /// Adds a declaration, after all of the same name that come before it.
    mutating func declare(_ name: String, _ known: Known?, other: String?, at index: Int, until end: Int) {
        declarations[name, default: []].append(Declaration(index: index, end: end, known: known, other: other))
    }

    /// Adds the type of an assigned value, after all of the same name that come before it.
    mutating func assign(_ name: String, _ known: Known?, at index: Int, until end: Int) {
        assignments[name, default: []].append(Declaration(index: index, end: end, known: known))
    }

    /// The same declarations as if they stood before a file: the first one of each name.
    func asOuter() -> Variables {
        var outer = Variables()
        outer.declarations = declarations.compactMapValues { list in
            list.first.map { [Declaration(index: -1, end: Int.max, known: $0.known, other: $0.other)] }
        }
        return outer
    }

    /// The vendor's type that a name has at a token, if it has one.
    func type(of name: String, at index: Int) -> Known? {
        let list = declarations[name] ?? []
        let assigned = assignments[name] ?? []
        if list.isEmpty, assigned.isEmpty {
            // The variable of a property: one underscore before its name.
            guard name.hasPrefix("_"), name.utf8.count > 1 else { return nil }
            let property = String(name.dropFirst())
            return declarations[property] == nil && assignments[property] == nil ? nil : type(of: property, at: index)
        }
        let (last, next) = Self.search(list, index)
        let (lastAssigned, nextAssigned) = Self.search(assigned, index)
        if let last, last.index > lastAssigned?.index ?? -2 { return last.known }
        return lastAssigned.map(\.known) ?? (next ?? nextAssigned)?.known
    }

    /// The type of another module or of the app that a name is declared with at a token.
    func otherType(of name: String, at index: Int) -> String? {
        let property = name.hasPrefix("_") ? String(name.dropFirst()) : name
        guard let list = declarations[name] ?? declarations[property] else { return nil }
        let (last, next) = Self.search(list, index)
        return (last ?? next)?.other
    }

    /// The last declaration before an index whose block contains it, and the first one after it.
    private static func search(_ list: [Declaration], _ index: Int) -> (last: Declaration?, next: Declaration?) {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].index <= index { low = middle + 1 } else { high = middle }
        }
        let last = list[..<low].suffix(maximumSteps).last { $0.end >= index }
        return (last, low < list.count ? list[low] : nil)
    }
}
