extension FileScanner {
    /// Collects declarations of variables, properties and parameters.
    mutating func readVariables() {
        for index in tokens.indices {
            switch language {
            case .swift:
                if tokens[index].isWord { readSwiftVariable(at: index) }
                if isSign("{", at: index) { readClosureParameters(at: index) }
            case .objectiveC:
                if tokens[index].isWord { readObjectiveCVariable(at: index) }
            }
        }
    }

    /// Remembers the type of a name within the block around it, or in the body of its function.
    mutating func declare(
        _ name: String, _ known: Variables.Known?, other: String? = nil, at index: Int, body: Int? = nil
    ) {
        let end = body.flatMap { brackets[$0] } ?? brackets.endOfBlock(around: index)
        variables.declare(name, known, other: other, at: index, until: end)
    }

    /// The name of a type at a token, if no vendor has it and it is no general one.
    private func otherType(_ index: Int) -> String? {
        guard let name = word(at: index), name.first?.isUppercase == true, !isSign(".", at: index + 1),
            catalogue.names[name] == nil, !["Any", "AnyObject", "NSObject", "Self"].contains(name)
        else { return nil }
        return name
    }

    /// `name: Type`, and `let name = Type(`.
    private mutating func readSwiftVariable(at index: Int) {
        let name = tokens[index].text
        var type = index + 2
        if isSign(":", at: index + 1) {
            // `class Name: Supertype` declares a type.
            let keywords = ["class", "struct", "enum", "actor", "protocol", "extension"]
            if let keyword = word(at: index - 1), keywords.contains(keyword) { return }
            while let keyword = word(at: type), ["any", "some", "inout", "weak", "borrowing"].contains(keyword) {
                type += 1
            }
            while isSign("(", at: type) || isSign("@", at: type) { type += 1 }
            if word(at: type) == "any" { type += 1 }
            guard let text = word(at: type) else { return }
            let isVariable = isDeclaration(at: index)
            // An argument, as in `send(request: WLResourceRequest(url: url))`, declares nothing.
            guard isVariable || isParameter(type) else { return }
            declare(
                name, knownType(text), other: otherType(type), at: index, body: isVariable ? nil : body(after: type))
        } else if isSign("=", at: index + 1), isDeclaration(at: index) {
            let text = word(at: type) ?? ""
            let known = castType(in: type) ?? (isSign("(", at: type + 1) ? knownType(text) : nil)
            // The shadowed name is still in the expression.
            let value = valueName(from: type)
            let other = known == nil && isSign("(", at: type + 1) ? otherType(type) : nil
            declare(name, known, other: other, at: word(at: value) == name ? value + 1 : index)
        } else if isDeclaration(at: index), word(at: index + 1) == "as", isCast(type) {
            // `case let name as Type`
            declare(name, known(type), at: index)
        } else if isDeclaration(at: index),
            isSign(")", at: index + 1) || isSign(",", at: index + 1) && isSign("(", at: index - 2)
        {
            // `case .done(let name)`
            declare(name, nil, at: index)
        }
    }

    /// Whether a word is the object itself, as many closures call it.
    func isSelf(_ index: Int) -> Bool {
        word(at: index).map { ["self", "weakSelf", "strongSelf"].contains($0) } == true
    }

    /// The index of `self` before `self.name`, `self?.name` or `self!.name`.
    func ownerSelf(of name: Int) -> Int? {
        guard isSign(".", at: name - 1) else { return nil }
        let hasSign = isSign("?", at: name - 2) || isSign("!", at: name - 2)
        let index = name - (hasSign ? 3 : 2)
        return isSelf(index) ? index : nil
    }

    /// The first name of a value, after `try`, `await` and `self.`.
    private func valueName(from start: Int) -> Int {
        var index = start
        while word(at: index) == "try" || word(at: index) == "await" || isSelf(index) {
            index += 1
            while isSign("?", at: index) || isSign("!", at: index) || isSign(".", at: index) { index += 1 }
        }
        return index
    }

    /// The first token of a value that begins with a name: `try`, `await` or `self.` may come before.
    func valueStart(_ name: Int) -> Int {
        var start = ownerSelf(of: name) ?? name
        while true {
            let hasSign = isSign("?", at: start - 1) || isSign("!", at: start - 1)
            let index = start - (hasSign ? 2 : 1)
            guard word(at: index) == "try" || !hasSign && word(at: index) == "await" else { return start }
            start = index
        }
    }

    /// Whether a type's name follows `as`, `as?` or `as!`.
    func isCast(_ index: Int) -> Bool {
        let hasSign = isSign("?", at: index - 1) || isSign("!", at: index - 1)
        return word(at: index - (hasSign ? 2 : 1)) == "as"
    }

    /// The vendor's type that an expression is cast to, on its line.
    private func castType(in start: Int) -> Variables.Known? {
        var index = start
        // Few expressions have more tokens.
        for _ in 0..<40 {
            guard tokens.indices.contains(index), tokens[index].line == tokens[start].line,
                ![",", "{", ";", ")"].contains(where: { isSign($0, at: index) })
            else { return nil }
            if isCast(index), !isSign(".", at: index + 1), let known = known(index) { return known }
            index = brackets[index].map { $0 > index ? $0 + 1 : index + 1 } ?? index + 1
        }
        return nil
    }

    private func known(_ index: Int) -> Variables.Known? {
        word(at: index).flatMap(knownType)
    }

    private func isDeclaration(at index: Int) -> Bool {
        word(at: index - 1) == "let" || word(at: index - 1) == "var"
    }

    /// Whether a type is that of a parameter: nothing is called on it.
    private func isParameter(_ type: Int) -> Bool {
        guard tokens[type].text.utf8.first.map({ $0 < 97 }) == true else { return false }
        return [",", ")", "=", "?", "!"].contains { isSign($0, at: type + 1) }
    }

    /// The brace that begins the body of the function or closure with a parameter.
    private func body(after index: Int) -> Int? {
        var next = index
        // To the end of the parameters; few have more.
        for _ in 0..<60 where next < tokens.count && !isSign(")", at: next) {
            next = brackets[next].map { $0 > next ? $0 + 1 : next + 1 } ?? next + 1
        }
        guard isSign(")", at: next) else { return nil }
        for position in (next + 1)..<min(next + 10, tokens.count) {
            if isSign("{", at: position) { return position }
            if word(at: position) == "in" { return nil }
        }
        return nil
    }

    /// `{ name, other in` without types.
    private mutating func readClosureParameters(at brace: Int) {
        var names: [Int] = []
        for index in (brace + 1)..<min(brace + 16, tokens.count) {
            if word(at: index) == "in" {
                for name in names where !isSign(":", at: name + 1) { declare(tokens[name].text, nil, at: name) }
                return
            }
            if tokens[index].isWord {
                names.append(index)
            } else if !isSign(",", at: index), !isSign("(", at: index), !isSign(")", at: index) {
                return
            }
        }
    }

    /// `Type *name`, `(Type *)name`, `id<Protocol> name`.
    private mutating func readObjectiveCVariable(at index: Int) {
        let text = tokens[index].text
        guard text.utf8.first.map({ $0 < 97 }) == true else { return }
        var next = index + 1
        if isSign(">", at: next), isSign("<", at: index - 1), word(at: index - 2) == "id" {
            next += 1
        } else {
            guard isSign("*", at: next) else { return }
            while isSign("*", at: next) { next += 1 }
        }
        let isParameter = isSign(")", at: next)
        if isParameter { next += 1 }
        while let keyword = word(at: next), ["const", "_Nullable", "_Nonnull", "__weak", "__strong"].contains(keyword) {
            next += 1
        }
        guard let name = word(at: next) else { return }
        // The body follows the method's parameters.
        let body =
            isParameter
            ? (next..<min(next + 60, tokens.count)).first { isSign("{", at: $0) || isSign(";", at: $0) } : nil
        declare(
            name, knownType(text), other: otherType(index), at: index,
            body: body.flatMap { isSign("{", at: $0) ? $0 : nil })
    }
}
