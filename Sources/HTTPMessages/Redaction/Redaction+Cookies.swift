extension Redaction {
    /// The attributes of `Set-Cookie`, which say where and how long a cookie is sent.
    private static let attributes: Set<String> = [
        "domain", "expires", "httponly", "max-age", "partitioned", "path", "priority", "samesite", "secure",
    ]

    /// Returns the value of `Cookie` or `Set-Cookie` with the names and the attributes of the cookies, without their
    /// values.
    package func redacted(cookies value: String, of name: HTTPFieldName) -> String {
        let parts = value[...].parts(at: ";")
        return parts.indices.map { index in
            let isShown = name == .setCookie && index > 0 && Self.isAttribute(parts[index])
            return isShown ? withoutKeys(parts[index]) : Self.withoutValue(parts[index])
        }.joined(separator: ";")
    }

    /// False for one with a value that may be a further cookie, behind a comma.
    private static func isAttribute(_ part: Substring) -> Bool {
        let name = part.part(before: "=")
        let value = part[name.endIndex...].dropFirst()
        let lower = String(name).trimmingHTTPWhitespace.lowercased()
        guard attributes.contains(lower), !value.utf8.contains(UInt8(ascii: "=")) else { return false }
        return lower == "expires" ? HTTPDate(parsing: String(value)) != nil : !value.utf8.contains(UInt8(ascii: ","))
    }

    /// A cookie without a name is all value.
    private static func withoutValue(_ pair: Substring) -> String {
        let name = pair.part(before: "=")
        guard name.endIndex < pair.endIndex else {
            return String(pair).trimmingHTTPWhitespace.isEmpty ? String(pair) : placeholder
        }
        let isEmpty = String(pair[name.endIndex...].dropFirst()).trimmingHTTPWhitespace.isEmpty
        return isEmpty ? String(pair) : "\(name)=\(placeholder)"
    }
}
