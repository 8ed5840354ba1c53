/// The parameters of an element by their names in lower case; of several with one name the first counts.
struct FieldParameters: Hashable, Sendable {
    private struct Parameter: Hashable, Sendable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    mutating func append(_ name: String, _ value: String) { parameters.append(Parameter(name: name, value: value)) }

    /// The parameters with other values.
    func mapValues(_ transform: (_ name: String, _ value: String) -> String) -> FieldParameters {
        var mapped = FieldParameters()
        for parameter in parameters { mapped.append(parameter.name, transform(parameter.name, parameter.value)) }
        return mapped
    }

    /// The value of a name in lower case. An extended value (`name*`, RFC 8187) is preferred, and decoded.
    subscript(name: String) -> String? {
        let extended = parameters.first { $0.name == name + "*" }.flatMap { String(extendedValue: $0.value) }
        return extended ?? parameters.first { $0.name == name }?.value
    }

    /// The parameters as they are written, each after a semicolon. One that is not ASCII is an extended value.
    var text: String {
        let first = Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        var written: Set<String> = []
        return parameters.map { parameter in
            // A further one, which does not count, could count as the only extended value.
            guard written.insert(parameter.name).inserted, !isHidden(parameter.name, first) else { return "" }
            if parameter.value.isPrintableASCII { return "; \(parameter.name)=\(parameter.value.tokenOrQuotedString)" }
            guard parameter.name.hasSuffix("*") else { return "; \(parameter.name)*=\(parameter.value.extendedValue)" }
            // One that is extended already, but with characters that it must encode.
            return String(extendedValue: parameter.value).map { "; \(parameter.name)=\($0.extendedValue)" } ?? ""
        }.joined()
    }

    /// True for the one of two with the same extended name that does not count.
    private func isHidden(_ name: String, _ first: [String: String]) -> Bool {
        let isExtended = name.hasSuffix("*")
        let plainName = isExtended ? String(name.dropLast()) : name
        guard let plain = first[plainName], !plain.isPrintableASCII, let extended = first[plainName + "*"] else {
            return false
        }
        return isExtended == (String(extendedValue: extended) == nil)
    }
}

extension String {
    fileprivate var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
