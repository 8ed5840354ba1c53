/// Names of a statement's parameters, in the order of their numbers.
struct ParameterNames {
    /// For each parameter, the name without its prefix; nil for one without a name.
    private(set) var names: [String?] = []

    /// Numbers the parameters as SQLite does; see ``SQLParameters``.
    init(of text: String) {
        var scanner = SQLScanner(text)
        var parameters = SQLParameters()
        while let token = scanner.next() {
            let index: Int
            var name: String?
            switch token {
            case .numberedParameter(let number):
                // Beyond SQLite's limit the statement is refused when it is prepared.
                guard number.map({ (1...SQLParameters.maximumNumber).contains($0) }) != false else { continue }
                index = parameters.index(number: number)
            case .namedParameter(let text):
                index = parameters.index(name: text)
                name = String(text.unicodeScalars.dropFirst())
            case .word, .quoted, .semicolon, .other: continue
            }
            while names.count <= index { names.append(nil) }
            names[index] = names[index] ?? name
        }
    }

    /// The number of parameters.
    var count: Int { names.count }

    /// Returns the values in the order of the parameters.
    func values(_ values: [String: (any StoreValueConvertible)?]) throws(StoreError) -> [StoreValue] {
        var result: [StoreValue] = []
        for (index, name) in names.enumerated() {
            guard let name else {
                throw StoreError(
                    .invalidArgument,
                    "Parameter \(index + 1) has no name; name it, or pass an array of all parameters.")
            }
            guard let value = values[name] else {
                throw StoreError(.invalidArgument, "No value for parameter \(name); pass one.")
            }
            result.append(value.storeValue)
        }
        let unknown = values.keys.filter { !names.contains($0) }.min()
        if let unknown {
            throw StoreError(
                .invalidArgument,
                "Statement has no parameter \(unknown); use :\(unknown) outside of quotes, or leave the value out.")
        }
        return result
    }
}
