/// Encoding of several values of one query parameter; servers differ.
@nonexhaustive public enum ArrayStyle: Hashable, Sendable, CaseIterable {
    /// `a=1&a=2`
    case repeated
    /// `a[]=1&a[]=2`; the brackets are percent-encoded.
    case brackets
    /// `a[0]=1&a[1]=2`; the brackets are percent-encoded.
    case indices
    /// `a=1,2`; the comma is percent-encoded. A value that contains a comma is parsed as two.
    case comma
    /// `a=1 2`, percent-encoded: OpenAPI's `spaceDelimited`.
    case space
    /// `a=1|2`, percent-encoded: OpenAPI's `pipeDelimited`.
    case pipe

    /// The text between values that share one parameter; nil where each has its own.
    var delimiter: String? {
        switch self {
        case .repeated, .brackets, .indices: nil
        case .comma: ","
        case .space: " "
        case .pipe: "|"
        }
    }
}

extension Query {
    /// Appends an array. An empty array appends nothing.
    public mutating func append(_ name: String, _ values: some Sequence<String>, style: ArrayStyle) {
        switch style {
        case .repeated:
            for value in values { append(name, value) }
        case .brackets:
            for value in values { append(name + "[]", value) }
        case .indices:
            for (index, value) in values.enumerated() { append("\(name)[\(index)]", value) }
        case .comma, .space, .pipe:
            let values = Array(values)
            if !values.isEmpty { append(name, values.joined(separator: style.delimiter ?? "")) }
        }
    }

    /// Replaces all values of a name in this style by an array.
    public mutating func set(_ name: String, to values: some Sequence<String>, style: ArrayStyle) {
        switch style {
        case .repeated, .comma, .space, .pipe: remove(name)
        case .brackets: remove(name + "[]")
        case .indices: self = Query(filter { $0.arrayIndex(of: name) == nil })
        }
        append(name, values, style: style)
    }

    /// The array of a name, as ``append(_:_:style:)`` wrote it. Indices are sorted and may have gaps.
    public func values(of name: String, style: ArrayStyle) -> [String] {
        switch style {
        case .repeated: values(of: name)
        case .brackets: values(of: name + "[]")
        case .indices:
            compactMap { item in item.arrayIndex(of: name).map { (index: $0, value: item.value ?? "") } }
                .sorted { $0.index < $1.index }.map(\.value)
        case .comma, .space, .pipe:
            values(of: name).flatMap { style.elements(of: $0) }
        }
    }
}

extension ArrayStyle {
    /// The values that share a parameter; the text itself where each has its own.
    func elements(of text: String) -> [String] {
        guard let delimiter = delimiter?.utf8.first else { return [text] }
        return text.utf8.split(separator: delimiter, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}

extension Query.Item {
    /// The index in `name[index]`; nil for any other item.
    fileprivate func arrayIndex(of array: String) -> Int? {
        let text = Substring(name)
        guard text.utf8.starts(with: array.utf8), text.utf8.last == UInt8(ascii: "]") else { return nil }
        let rest = text.utf8.dropFirst(array.utf8.count)
        guard rest.first == UInt8(ascii: "[") else { return nil }
        let digits = rest.dropFirst().dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(Substring(digits))
    }
}
