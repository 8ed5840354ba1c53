/// Types of the variables, properties and parameters of one file, as far as they are evident.
///
/// There are no scopes: the last declaration before a use counts, or the first one after it.
struct Variables {
    typealias Known = (type: String, vendor: Int)

    private struct Declaration {
        var index: Int
        /// Nil for a type of another module or of the app.
        var known: Known?
    }

    private var declarations: [String: [Declaration]] = [:]

    /// Adds a declaration; those of one name are mostly added in their order.
    mutating func declare(_ name: String, _ known: Known?, at index: Int) {
        var list = declarations[name] ?? []
        var position = list.count
        while position > 0, list[position - 1].index > index { position -= 1 }
        list.insert(Declaration(index: index, known: known), at: position)
        declarations[name] = list
    }

    /// The vendor's type that a name has at a token, if it has one.
    func type(of name: String, at index: Int) -> Known? {
        guard let list = declarations[name] ?? (name.hasPrefix("_") ? declarations[String(name.dropFirst())] : nil)
        else { return nil }
        // Binary search for the last declaration before the index.
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].index <= index { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? list[low - 1].known : list.first?.known
    }
}
