extension FileScanner {
    /// Reads message sends, the inner ones first, since a receiver may be the result of one.
    /// - Parameter reports: Whether to add places, or only to learn the types of variables.
    mutating func readMessages(reports: Bool) {
        var results: [Int: Variables.Known] = [:]
        var assignments: [(name: String, type: Variables.Known, index: Int)] = []
        for open in tokens.indices.reversed() where isMessage(at: open) {
            guard let close = brackets[open], close > open + 2 else { continue }
            var receiver: Variables.Known?
            var other: String?
            var isOwn = false
            var isSuper = false
            var next = open + 1
            // A cast before the receiver.
            if isSign("(", at: next), let end = brackets[next], end < close,
                word(at: end + 1) != nil || isSign("[", at: end + 1)
            {
                // `(const Type *)`, or `(id<Type>)`; what is longer may contain messages, with casts of their own.
                let cast = (next..<min(end, next + 8)).compactMap { word(at: $0) }.first
                if let cast, let known = knownType(cast) { receiver = known }
                next = end + 1
            }
            if isSign("[", at: next) {
                receiver = receiver ?? results[next]
                next = (brackets[next] ?? close) + 1
            } else if let name = word(at: next) {
                isSuper = name == "super"
                if isSuper, let type = objectiveCClass(around: open)?.type { receiver = subclasses[type]?.superclass }
                receiver = receiver ?? knownType(name) ?? variables.type(of: name, at: next)
                other = variables.otherType(of: name, at: next)
                isOwn = isSelf(next)
                next += 1
                while let index = member(after: next), let property = word(at: index) {
                    receiver = isOwn ? variables.type(of: property, at: index) : result(of: property, receiver)
                    other = isOwn ? variables.otherType(of: property, at: index) : nil
                    isOwn = false
                    next = index + 1
                }
            } else {
                continue
            }
            guard next < close, let message = selector(from: next, to: close) else { continue }
            if isOwn, message.name.labels == nil {
                // `[self request]` is the property.
                results[open] = variables.type(of: message.name.base, at: message.index)
                continue
            }
            if isOwn { receiver = receiver ?? objectiveCClass(around: open) }
            guard let known = receiver else {
                if reports, message.name.labels != nil {
                    addSelector(message.name, message.name.selector, of: other, at: message.index)
                }
                continue
            }
            let sent = send(message.name, to: known, at: message.index, reports: reports, isSuper: isSuper)
            guard let result = sent else { continue }
            results[open] = result
            if !reports, isSign("=", at: open - 1), let name = word(at: open - 2) {
                assignments.append((name, result, open))
            }
        }
        for (name, type, index) in assignments.reversed() {
            variables.assign(name, type, at: index, until: brackets.endOfBlock(around: index))
        }
    }

    /// The index of the name after `.` or `->`.
    private func member(after index: Int) -> Int? {
        if isSign(".", at: index) { return index + 1 }
        return isSign("-", at: index) && isSign(">", at: index + 1) ? index + 2 : nil
    }

    /// Adds what a message is; the type of its result.
    private mutating func send(
        _ name: MemberName, to receiver: Variables.Known, at index: Int, reports: Bool, isSuper: Bool
    ) -> Variables.Known? {
        if ["alloc", "new", "init", "self", "retain", "autorelease", "copy"].contains(name.base), name.labels == nil {
            return receiver
        }
        let vendor = catalogue.vendors[receiver.vendor]
        guard vendor.hasMembers(vendorType(receiver.type)) else { return nil }
        let found = member(name, of: receiver.type, vendor: receiver.vendor)
        if reports {
            addMember(
                found, name.selector, of: receiver.type, vendor: receiver.vendor, at: index, isInherited: isSuper)
        }
        return found?.result.map { Variables.Known(type: $0, vendor: receiver.vendor) }
    }

    private func result(of name: String, _ receiver: Variables.Known?) -> Variables.Known? {
        guard let receiver else { return nil }
        let type = vendorType(receiver.type)
        let found = catalogue.vendors[receiver.vendor].objectiveCMember(MemberName(base: name), of: type)
        return found?.result.map { Variables.Known(type: $0, vendor: receiver.vendor) }
    }

    /// Whether a bracket opens a message, and not a subscript or a literal.
    private func isMessage(at index: Int) -> Bool {
        guard isSign("[", at: index) else { return false }
        if isSign("@", at: index - 1) || isSign(")", at: index - 1) && isSubscriptAfterParenthesis(index)
            || isSign("]", at: index - 1) && !tokens[index].startsLine
        {
            return false
        }
        guard let before = word(at: index - 1) else { return true }
        // A line before without a semicolon is a directive or a macro.
        if tokens[index].startsLine { return !isSubscriptAfterParenthesis(index) }
        return ["return", "else", "in", "case", "do"].contains(before)
    }

    /// `(x)[0]` is a subscript, `(Type *)[x y]` and `if (x) [y z]` are not: a message has a word after its first word.
    private func isSubscriptAfterParenthesis(_ index: Int) -> Bool {
        guard let close = brackets[index] else { return true }
        return close <= index + 2
    }

    /// The selector of a message without its receiver, and where it begins.
    private func selector(from start: Int, to close: Int) -> (name: MemberName, index: Int)? {
        var parts: [String] = []
        var first: Int?
        var last: Int?
        var questions = 0
        var index = start
        while index < close {
            if isSign("?", at: index) {
                questions += 1
            } else if let text = word(at: index) {
                if isSign(":", at: index + 1), questions == 0 {
                    parts.append(text)
                    first = first ?? index
                } else if parts.isEmpty {
                    last = index
                }
            } else if isSign(":", at: index), questions > 0 {
                questions -= 1
            }
            index = brackets[index].map { $0 > index ? $0 + 1 : index + 1 } ?? index + 1
        }
        if let first, let base = parts.first {
            return (MemberName(base: base, labels: ["_"] + parts.dropFirst()), first)
        }
        return last.map { (MemberName(base: tokens[$0].text), $0) }
    }
}
