extension FileScanner {
    /// What is known of a member, for a declaration with types of its parameters that the module does not have.
    ///
    /// Compared are `?` and `!` after the types, with those of the methods of delegates and handlers, and `NSError`.
    func checked(
        _ found: VendorCatalogue.Found, _ name: MemberName, of type: Variables.Known, from start: Int, to end: Int
    ) -> VendorCatalogue.Found {
        guard language == .swift, found.verdict == .works, word(at: start - 1) == "func" else { return found }
        let vendor = catalogue.vendors[type.vendor]
        // `_ error: inout NSError?` is a parameter of the modules too.
        let hasError = ((start + 1)..<end).contains { word(at: $0) == "NSError" && word(at: $0 - 1) != "inout" }
        let isOverride = (start - 4..<start).contains { word(at: $0) == "override" }
        let forms = vendor.parameters(of: name, in: type.type)
        let marks = marks(from: start + 1, to: end)
        let hasForm =
            forms.isEmpty
            || forms.contains { form in
                let types = form.split(separator: ", ").map(Mark.init)
                guard isOverride else { return types == marks }
                // An override may have an optional for any parameter; a method of a protocol may not.
                return types.count == marks.count && zip(types, marks).allSatisfy { $0 == .plain || $1 != .plain }
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

    /// The sign after a parameter's type.
    private enum Mark {
        case plain, optional, unwrapped

        init(_ type: Substring) {
            self = type.hasSuffix("?") ? .optional : type.hasSuffix("!") ? .unwrapped : .plain
        }
    }

    /// The signs after the types of a method's parameters.
    private func marks(from open: Int, to close: Int) -> [Mark] {
        var marks: [Mark] = []
        var mark: Mark?
        var depth = 0
        var index = open + 1
        while index < close {
            if isSign("<", at: index) { depth += 1 }
            if isSign(">", at: index), !isSign("-", at: index - 1) { depth -= 1 }
            if isSign(",", at: index), depth == 0 {
                marks.append(mark ?? .plain)
                mark = nil
            } else if word(at: index) == "Optional", depth == 0 {
                mark = mark ?? .optional
            } else if isSign("=", at: index) {
                // The default value follows.
                mark = mark ?? .plain
            } else if isSign("?", at: index), depth == 0 {
                mark = mark ?? .optional
            } else if isSign("!", at: index), depth == 0 {
                mark = mark ?? .unwrapped
            }
            index = brackets[index].map { $0 > index ? $0 + 1 : index + 1 } ?? index + 1
        }
        return close > open + 1 ? marks + [mark ?? .plain] : marks
    }
}
