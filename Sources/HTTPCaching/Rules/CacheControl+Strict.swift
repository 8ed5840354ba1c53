import HTTPMessages

extension CacheControl {
    /// The smallest of the arguments of a directive in seconds; nil without the directive.
    /// - Parameter invalid: the value of an argument that is no number.
    func seconds(_ name: String, invalid: Double) -> Double? {
        arguments(of: name).map { $0.flatMap(\.deltaSeconds) ?? invalid }.min()
    }

    /// The greatest of the arguments; infinite for a malformed one, as the strict reading.
    func greatestSeconds(_ name: String) -> Double? {
        arguments(of: name).map { $0.flatMap(\.deltaSeconds) ?? .infinity }.max()
    }

    /// A directive that may have names of fields.
    /// - Returns: whether it is about the whole response, and the names in lower case.
    func names(in directive: String) -> (isUnqualified: Bool, names: [String]) {
        var (isUnqualified, names) = (false, [String]())
        for argument in arguments(of: directive) {
            let found = (argument ?? "").split(separator: ",").map { String($0).trimmingHTTPWhitespace.lowercased() }
                .filter { !$0.isEmpty }
            if found.isEmpty || !found.allSatisfy(\.isHTTPToken) { isUnqualified = true } else { names += found }
        }
        return (isUnqualified, names)
    }
}

extension String {
    /// Seconds of `delta-seconds` (RFC 9111, section 1.2.2), at most a century; nil for anything but digits.
    var deltaSeconds: Double? {
        let digits = utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Double($1 - 0x30), Freshness.century) }
    }
}
