import HTTPMessages

extension URITemplate {
    /// Expands the template (RFC 6570, section 3).
    /// - Parameter values: a value or nil for each of ``variables``.
    /// - Throws: ``URITemplateError`` (`missingValue`, `unknownValue`, `invalidValue`) that names the variable.
    public func expand(_ values: Values) throws(URITemplateError) -> String {
        String(decoding: try expanded(values), as: UTF8.self)
    }

    /// - Parameter didExpand: gets the range of each expression in the expansion.
    func expanded(
        _ values: Values, didExpand: (Expression, Range<Int>) -> Void = { _, _ in }
    ) throws(URITemplateError) -> [UInt8] {
        let contents = try contents(values)
        var writer = ExpansionWriter()
        writer.bytes.reserveCapacity(text.utf8.count * 2)
        for part in parts {
            switch part {
            case .literal(let bytes):
                writer.bytes += bytes
            case .expression(let expression):
                let start = writer.bytes.count
                try writer.write(expression, contents)
                didExpand(expression, start..<writer.bytes.count)
            }
        }
        return writer.bytes
    }

    /// The values in the order of ``variables``.
    private func contents(_ values: Values) throws(URITemplateError) -> [Value.Content?] {
        var contents: [Value.Content?] = []
        contents.reserveCapacity(variables.count)
        for name in variables {
            // By a loop, since there are few values: to hash a name costs more than to compare it with some.
            guard let item = values.items.first(where: { $0.name == name }) else {
                throw URITemplateError(
                    .missingValue,
                    "No value for the variable \(name.debugDescription) of the URI template \(text.debugDescription); "
                        + "pass one, or nil to leave it out.", variable: name)
            }
            let content = item.value?.content
            if content == .notFinite {
                throw URITemplateError(
                    .invalidValue,
                    "The value of the variable \(name.debugDescription) is infinite or not a number; "
                        + "pass a finite number.", variable: name)
            }
            contents.append(content)
        }
        guard values.items.count == variables.count else { throw unknown(values) }
        return contents
    }

    private func unknown(_ values: Values) -> URITemplateError {
        var unused = Set(variables)
        let name = values.items.first { unused.remove($0.name) == nil }?.name ?? ""
        let problem = variables.contains(name) ? "is given twice; pass one" : "has no place; it has the variables "
        let known = variables.contains(name) ? "" : variables.joined(separator: ", ")
        return URITemplateError(
            .unknownValue,
            "The value \(name.debugDescription) for the URI template \(text.debugDescription) \(problem)\(known).",
            variable: name)
    }
}

/// Writer of expansions.
private struct ExpansionWriter {
    var bytes: [UInt8] = []

    mutating func write(
        _ expression: URITemplate.Expression, _ contents: [URITemplate.Value.Content?]
    ) throws(URITemplateError) {
        let operation = expression.operation
        var isFirst = true
        for variable in expression.variables {
            guard let content = contents[variable.number], !content.isEmpty else { continue }
            if let separator = isFirst ? operation.first : operation.separator { bytes.append(separator) }
            isFirst = false
            try write(content, of: variable, operation)
        }
    }

    private mutating func write(
        _ content: URITemplate.Value.Content, of variable: URITemplate.Variable, _ operation: URITemplate.Operation
    ) throws(URITemplateError) {
        switch (content, variable.modifier) {
        case (.text(let text), .prefix(let length)):
            write(named: variable.name, operation, isEmpty: text.isEmpty)
            append(text.templatePrefix(length, keepsEscapes: operation.keepsReserved), operation)
        case (.text(let text), _):
            write(named: variable.name, operation, isEmpty: text.isEmpty)
            append(text[...], operation)
        case (.list(let texts), .explode):
            write(texts, operation.separator) { writer, text in
                writer.write(named: variable.name, operation, isEmpty: text.isEmpty)
                writer.append(text[...], operation)
            }
        case (.list(let texts), .none):
            write(named: variable.name, operation, isEmpty: false)
            write(texts, UInt8(ascii: ",")) { $0.append($1[...], operation) }
        case (.pairs(let pairs), .explode):
            write(pairs, operation.separator) { writer, pair in
                writer.append(pair.name[...], operation)
                if !operation.isNamed || operation.hasEqualsIfEmpty || !pair.value.isEmpty {
                    writer.bytes.append(UInt8(ascii: "="))
                }
                writer.append(pair.value[...], operation)
            }
        case (.pairs(let pairs), .none):
            write(named: variable.name, operation, isEmpty: false)
            write(pairs, UInt8(ascii: ",")) { writer, pair in
                writer.append(pair.name[...], operation)
                writer.bytes.append(UInt8(ascii: ","))
                writer.append(pair.value[...], operation)
            }
        case (_, .prefix), (.notFinite, _):
            throw URITemplateError(
                .invalidValue,
                "The variable \(variable.name.debugDescription) has a prefix, which only a text can have; pass a string.",
                variable: variable.name)
        }
    }

    private mutating func write<Element>(
        _ elements: [Element], _ separator: UInt8, _ write: (inout ExpansionWriter, Element) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(separator) }
            write(&self, element)
        }
    }

    private mutating func write(named name: String, _ operation: URITemplate.Operation, isEmpty: Bool) {
        guard operation.isNamed else { return }
        bytes += name.utf8
        if !isEmpty || operation.hasEqualsIfEmpty { bytes.append(UInt8(ascii: "=")) }
    }

    private mutating func append(_ text: Substring, _ operation: URITemplate.Operation) {
        guard operation.keepsReserved else { return bytes.append(percentEncoding: text.utf8, except: .unreserved) }
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if UnescapedCharacters.uri.contains(byte) || byte == UInt8(ascii: "%") && rest.escapedByte != nil {
                bytes.append(byte)
            } else {
                bytes.append(percentEncoded: byte)
            }
        }
    }
}

extension URITemplate.Value.Content {
    fileprivate var isEmpty: Bool {
        switch self {
        case .list(let texts): texts.isEmpty
        case .pairs(let pairs): pairs.isEmpty
        case .text, .notFinite: false
        }
    }
}

extension String {
    /// The first Unicode scalars.
    /// - Parameter keepsEscapes: true counts a percent-encoded byte as one, since the expansion keeps it.
    fileprivate func templatePrefix(_ length: Int, keepsEscapes: Bool) -> Substring {
        var rest = unicodeScalars[...]
        for _ in 0..<length {
            guard let scalar = rest.popFirst() else { break }
            if keepsEscapes, scalar == "%", Substring(rest).utf8.escapedByte != nil { rest = rest.dropFirst(2) }
        }
        return self[..<rest.startIndex]
    }
}
