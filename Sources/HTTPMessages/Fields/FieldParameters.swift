/// The parameters of an element by their names in lower case; of several with one name the first counts.
struct FieldParameters: Hashable, Sendable {
    private struct Parameter: Hashable, Sendable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    mutating func append(_ name: String, _ value: String) { parameters.append(Parameter(name: name, value: value)) }

    /// The value of a name in lower case. An extended value (`name*`, RFC 8187) is preferred, and decoded.
    subscript(name: String) -> String? {
        let extended = parameters.first { $0.name == name + "*" }.flatMap { String(extendedValue: $0.value) }
        return extended ?? parameters.first { $0.name == name }?.value
    }

    /// The parameters as they are written, each after a semicolon. One that is not ASCII is an extended value.
    var text: String {
        var written: Set<String> = []
        return parameters.map { parameter in
            // A further one, which does not count, could count as the only extended value.
            guard written.insert(parameter.name).inserted, !isHidden(parameter) else { return "" }
            return parameter.value.isPrintableASCII
                ? "; \(parameter.name)=\(parameter.value.tokenOrQuotedString)"
                : "; \(parameter.name)*=\(parameter.value.extendedValue)"
        }.joined()
    }

    /// True for the one of two with the same extended name that does not count.
    private func isHidden(_ parameter: Parameter) -> Bool {
        let isExtended = parameter.name.hasSuffix("*")
        let name = isExtended ? String(parameter.name.dropLast()) : parameter.name
        guard let plain = parameters.first(where: { $0.name == name }), !plain.value.isPrintableASCII,
            let extended = parameters.first(where: { $0.name == name + "*" })
        else { return false }
        return isExtended == (String(extendedValue: extended.value) == nil)
    }
}

extension String {
    fileprivate var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
