extension FileScanner {
    /// What is known of a member, for a declaration with types of its parameters that the module does not have.
    ///
    /// Compared are the names of the types and `?` and `!` after them, with those of the methods of delegates and
    /// handlers, and `NSError`.
    func checked(
        _ found: VendorCatalogue.Found, _ name: MemberName, of type: Variables.Known, from start: Int, to end: Int
    ) -> VendorCatalogue.Found {
        guard language == .swift, found.verdict == .works, word(at: start - 1) == "func" else { return found }
        let vendor = catalogue.vendors[type.vendor]
        // `_ error: inout NSError?` is a parameter of the modules too.
        let hasError = ((start + 1)..<end).contains { word(at: $0) == "NSError" && word(at: $0 - 1) != "inout" }
        let isOverride = isOverride(start - 1)
        let forms = vendor.parameters(of: name, in: vendorType(type.type))
        let given = parameterTypes(from: start + 1, to: end).map(ParameterType.init)
        let hasForm =
            forms.isEmpty
            || forms.contains { form in
                let types = form.split(separator: ", ").map { ParameterType(String($0)) }
                return types.count == given.count
                    && zip(types, given).allSatisfy { $0.accepts($1, isOverride: isOverride, vendor) }
            }
        guard hasError || !hasForm else { return found }
        let types =
            forms.isEmpty ? "the module's error, not NSError" : forms.map { "(\($0))" }.joined(separator: " or ")
        var found = found
        found.verdict = .otherwise(
            link: vendor.typesLink,
            text: "takes \(types) in the module; with other types it is not called, or does not compile")
        return found
    }

    /// A parameter's type: its name, and the sign after it.
    private struct ParameterType {
        private enum Mark {
            case plain, optional, unwrapped
        }

        private var name: String
        private var mark: Mark

        init(_ text: String) {
            var name = text.replacing("any ", with: "").replacing(" ", with: "")
            mark = name.hasSuffix("?") ? .optional : name.hasSuffix("!") ? .unwrapped : .plain
            if mark != .plain { name.removeLast() }
            if name.hasPrefix("Optional<"), name.hasSuffix(">") {
                mark = .optional
                name = String(name.dropFirst("Optional<".count).dropLast())
            }
            if name.hasPrefix("("), name.hasSuffix(")") { name = String(name.dropFirst().dropLast()) }
            self.name = name
        }

        /// Whether a method with another type is the one with this type. An override may have an optional for any
        /// parameter, and a supertype; a method of a protocol may not.
        func accepts(_ other: ParameterType, isOverride: Bool, _ vendor: VendorCatalogue) -> Bool {
            let target = vendor.target(of: other.name)
            guard isOverride else { return name == target && mark == other.mark }
            return vendor.lineage(of: name).contains(target) && (mark == .plain || other.mark != .plain)
        }
    }

    /// The texts of the types of a method's parameters.
    private func parameterTypes(from open: Int, to close: Int) -> [String] {
        var types: [String] = []
        var text = ""
        // The type is between a colon and a default value.
        var isType = false
        var depth = 0
        var index = open + 1
        while index < close {
            if isSign("<", at: index) { depth += 1 }
            if isSign(">", at: index), !isSign("-", at: index - 1) { depth -= 1 }
            let end = brackets[index].map { max($0, index) } ?? index
            if isSign(",", at: index), depth == 0 {
                types.append(text)
                text = ""
                isType = false
            } else if isSign("=", at: index) {
                isType = false
            } else if isType {
                for token in tokens[index...end] where token.text != "any" {
                    text += token.isWord ? token.text : token.sign
                }
            } else if isSign(":", at: index), text.isEmpty {
                isType = true
            }
            index = end + 1
        }
        return close > open + 1 ? types + [text] : types
    }
}

extension Token {
    /// The character of a sign; empty for others.
    fileprivate var sign: String {
        guard case .sign(let byte) = kind else { return "" }
        return String(UnicodeScalar(byte))
    }
}
