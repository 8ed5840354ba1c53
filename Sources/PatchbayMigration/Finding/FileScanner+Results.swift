extension FileScanner {
    /// Adds a member of a chain, and looks at what is done with its result before a token.
    /// - Returns: The member, if its result is not an optional.
    mutating func addResult(
        _ found: VendorCatalogue.Found?, _ name: String, of type: String, vendor: Int, at index: Int, before next: Int
    ) -> String? {
        guard language == .swift, var result = found, result.isNeverNil else {
            addMember(found, name, of: type, vendor: vendor, at: index)
            return nil
        }
        if result.verdict == .works, isUnwrapped(before: next, isChain: result.result != nil) {
            result.verdict = neverNilVerdict(of: vendor)
        }
        addMember(result, name, of: type, vendor: vendor, at: index)
        return "\(vendorType(type)).\(name)"
    }

    /// Whether a result is unwrapped, by `!` or by the `?.` of a member: another `?` is an operator.
    func isUnwrapped(before index: Int, isChain: Bool) -> Bool {
        if isSign("!", at: index) { return !isSign("=", at: index + 1) && !tokens[index].startsLine }
        return isChain && isSign("?", at: index) && isSign(".", at: index + 1)
    }

    private func neverNilVerdict(of vendor: Int) -> Verdict {
        let text = "never nil in the module: write it without ?, ! and if let"
        return .otherwise(link: "\(catalogue.vendors[vendor].guide)#names", text: text)
    }

    mutating func addNeverNil(_ member: String, vendor: Int, at index: Int) {
        add(member, neverNilVerdict(of: vendor), vendor: vendor, at: index, .member)
    }

    /// Remembers the type of `name` in `name = Type.member()` and `let name = self.other`.
    mutating func noteAssignment(before first: Int, to type: Variables.Known?, end: Int) {
        let start = valueStart(first)
        guard language == .swift, isSign("=", at: start - 1), let name = word(at: start - 2) else { return }
        var known = type
        if word(at: end) == "as" {
            var next = end + 1
            while isSign("?", at: next) || isSign("!", at: next) { next += 1 }
            known = word(at: next).flatMap(knownType)
        } else if !endsExpression(at: end) {
            known = nil
        }
        let isDeclared = word(at: start - 3) == "let" || word(at: start - 3) == "var"
        if isDeclared, let known, let member = known.neverNilMember {
            let isCondition = isSign(",", at: start - 4) || ["if", "guard", "while"].contains(word(at: start - 4))
            if isCondition { addNeverNil(member, vendor: known.vendor, at: start) }
        } else {
            // A variable that is declared elsewhere may be an optional.
            known?.neverNilMember = nil
        }
        // A name that the declaration shadows is still in the value.
        variables.assign(name, known, at: first + 1, until: brackets.endOfBlock(around: start))
    }

    /// Whether an expression ends before a token: an operator continues it.
    private func endsExpression(at index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return true }
        return tokens[index].isWord || tokens[index].startsLine
            || [",", "{", "}", ";", ")"].contains { isSign($0, at: index) }
    }

    /// Whether a brace starts the block of a statement on its line, such as `for`, and not a closure.
    func startsBlock(at brace: Int) -> Bool {
        let line = tokens[brace].line
        return (max(0, brace - 60)..<brace).contains {
            tokens[$0].line == line && ["for", "if", "while", "switch", "guard"].contains(word(at: $0) ?? "")
        }
    }
}
