import HTTPMessages

/// An element of `Sec-WebSocket-Extensions`: a name and its parameters (RFC 6455, section 9.1).
struct WebSocketExtension: Hashable {
    struct Parameter: Hashable {
        let name: String
        /// Nil without `=`.
        let value: String?
    }

    static let deflate = "permessage-deflate"

    let name: String
    var parameters: [Parameter] = []

    /// The elements of the fields of a message.
    /// - Returns: nil if they are malformed.
    static func parse(_ values: [String]) -> [WebSocketExtension]? {
        var found: [WebSocketExtension] = []
        for value in values {
            var scanner = FieldScanner(value)
            repeat {
                scanner.skip(while: \.isHTTPWhitespace)
                // An empty element is allowed in a list (RFC 9110, section 5.6.1).
                if scanner.next == nil || scanner.next == UInt8(ascii: ",") { continue }
                guard let element = element(&scanner) else { return nil }
                found.append(element)
            } while scanner.take(",")
            guard scanner.next == nil else { return nil }
        }
        return found
    }

    private static func element(_ scanner: inout FieldScanner) -> WebSocketExtension? {
        let name = scanner.takeToken()
        guard !name.isEmpty else { return nil }
        var element = WebSocketExtension(name: name)
        scanner.skip(while: \.isHTTPWhitespace)
        while scanner.take(";") {
            scanner.skip(while: \.isHTTPWhitespace)
            let name = scanner.takeToken()
            guard !name.isEmpty else { return nil }
            let value = scanner.takeValue { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
            if let value, !value.isHTTPToken { return nil }
            element.parameters.append(Parameter(name: name, value: value))
            scanner.skip(while: \.isHTTPWhitespace)
        }
        return element
    }

    /// The element as it is written.
    var text: String {
        parameters.reduce(name) { text, parameter in
            "\(text); \(parameter.name)\(parameter.value.map { "=\($0)" } ?? "")"
        }
    }
}
