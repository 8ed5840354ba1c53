import HTTPMessages

extension URITemplate {
    /// Expands the template (RFC 6570, section 3).
    /// - Parameter values: a value or nil for each of ``variables``.
    /// - Throws: ``URITemplateError`` (`missingValue`, `unknownValue`, `invalidValue`) that names the variable.
    public func expand(_ values: Values) throws(URITemplateError) -> String {
        try expanded(values) { _, _ in }
    }

    /// - Parameter didExpand: gets the range of each expression in the bytes of the expansion.
    func expanded(
        _ values: Values, _ didExpand: (Expression, Range<Int>) -> Void
    ) throws(URITemplateError) -> String {
        let items = try inOrder(values)
        var capacity = 0
        for part in parts {
            switch part {
            case .literal(let bytes): capacity += bytes.count
            case .expression(let expression): capacity += try expression.capacity(for: items)
            }
        }
        // Into the memory of the string at once: an array would be checked at each byte, and copied at the end.
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var writer = ExpansionWriter(buffer)
            for part in parts {
                switch part {
                case .literal(let bytes):
                    writer.output.write(bytes)
                case .expression(let expression):
                    let start = writer.output.count
                    writer.write(expression, items)
                    didExpand(expression, start..<writer.output.count)
                }
            }
            return writer.output.count
        }
    }

    /// The values in the order of ``variables``.
    private func inOrder(_ values: Values) throws(URITemplateError) -> [Values.Item] {
        let given = values.items
        // As most callers write them.
        let isInOrder = given.count == variables.count && given.indices.allSatisfy { given[$0].name == variables[$0] }
        if isInOrder { return given }
        var items: [Values.Item] = []
        items.reserveCapacity(variables.count)
        for name in variables {
            // By a loop, since there are few values: to hash a name costs more than to compare it with some.
            guard let item = given.first(where: { $0.name == name }) else {
                throw URITemplateError(
                    .missingValue,
                    "No value for the variable \(name.debugDescription) of the URI template \(text.debugDescription); "
                        + "pass one, or nil to leave it out.", variable: name)
            }
            items.append(item)
        }
        guard given.count == variables.count else { throw unknown(values) }
        return items
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

extension URITemplate.Expression {
    /// The most bytes of the expansion.
    /// - Throws: ``URITemplateError`` (`invalidValue`).
    fileprivate func capacity(for items: [URITemplate.Values.Item]) throws(URITemplateError) -> Int {
        var capacity = 0
        for variable in variables {
            guard let content = items[variable.number].value?.content, !content.isEmpty else { continue }
            // With a separator, a name and an equals sign for each text.
            let more = variable.name.utf8.count + 2
            switch (content, variable.modifier) {
            case (.notFinite, _):
                throw URITemplateError(
                    .invalidValue,
                    "The value of the variable \(variable.name.debugDescription) is infinite or not a number; "
                        + "pass a finite number.", variable: variable.name)
            case (.text(let text), _):
                capacity += more + unescaped.capacity(for: text)
            case (_, .prefix):
                throw URITemplateError(
                    .invalidValue,
                    "The variable \(variable.name.debugDescription) has a prefix, which only a text can have; "
                        + "pass a string.", variable: variable.name)
            case (.list(let texts), _):
                for text in texts { capacity += more + unescaped.capacity(for: text) }
            case (.pairs(let pairs), _):
                // With the comma between the two as well.
                for pair in pairs {
                    capacity += more + 1 + unescaped.capacity(for: pair.name) + unescaped.capacity(for: pair.value)
                }
            }
        }
        return capacity
    }

    fileprivate var unescaped: UnescapedCharacters { operation.keepsReserved ? .uri : .unreserved }
}

/// Writer of expansions.
private struct ExpansionWriter {
    var output: PercentEncodingWriter

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { output = PercentEncodingWriter(buffer) }

    mutating func write(_ expression: URITemplate.Expression, _ items: [URITemplate.Values.Item]) {
        let operation = expression.operation
        var isFirst = true
        for variable in expression.variables {
            guard let content = items[variable.number].value?.content, !content.isEmpty else { continue }
            if let separator = isFirst ? operation.first : operation.separator { output.write(separator) }
            isFirst = false
            write(content, of: variable, operation)
        }
    }

    private mutating func write(
        _ content: URITemplate.Value.Content, of variable: URITemplate.Variable, _ operation: URITemplate.Operation
    ) {
        switch (content, variable.modifier) {
        case (.text(let text), .prefix(let length)):
            write(named: variable.name, operation, isEmpty: text.isEmpty)
            append(String(text.templatePrefix(length, keepsEscapes: operation.keepsReserved)), operation)
        case (.text(let text), _):
            write(named: variable.name, operation, isEmpty: text.isEmpty)
            append(text, operation)
        case (.list(let texts), .explode):
            write(texts, operation.separator) { writer, text in
                writer.write(named: variable.name, operation, isEmpty: text.isEmpty)
                writer.append(text, operation)
            }
        case (.list(let texts), _):
            write(named: variable.name, operation, isEmpty: false)
            write(texts, UInt8(ascii: ",")) { $0.append($1, operation) }
        case (.pairs(let pairs), .explode):
            write(pairs, operation.separator) { writer, pair in
                writer.append(pair.name, operation)
                if !operation.isNamed || operation.hasEqualsIfEmpty || !pair.value.isEmpty {
                    writer.output.write(UInt8(ascii: "="))
                }
                writer.append(pair.value, operation)
            }
        case (.pairs(let pairs), _):
            write(named: variable.name, operation, isEmpty: false)
            write(pairs, UInt8(ascii: ",")) { writer, pair in
                writer.append(pair.name, operation)
                writer.output.write(UInt8(ascii: ","))
                writer.append(pair.value, operation)
            }
        case (.notFinite, _): break  // An error of `capacity(for:)`.
        }
    }

    private mutating func write<Element>(
        _ elements: [Element], _ separator: UInt8, _ write: (inout ExpansionWriter, Element) -> Void
    ) {
        for (index, element) in elements.enumerated() {
            if index > 0 { output.write(separator) }
            write(&self, element)
        }
    }

    private mutating func write(named name: String, _ operation: URITemplate.Operation, isEmpty: Bool) {
        guard operation.isNamed else { return }
        output.write(verbatim: name)
        if !isEmpty || operation.hasEqualsIfEmpty { output.write(UInt8(ascii: "=")) }
    }

    private mutating func append(_ text: String, _ operation: URITemplate.Operation) {
        guard operation.keepsReserved else { return output.write(text, except: .unreserved) }
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if UnescapedCharacters.uri.contains(byte) || byte == UInt8(ascii: "%") && rest.escapedByte != nil {
                output.write(byte)
            } else {
                output.write(percentEncoded: byte)
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
