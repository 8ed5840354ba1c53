import HTTPMessages

/// The errors of encoding and decoding queries. They name parameters, and quote no values.
enum QueryFault {
    /// The deepest nesting of properties and elements, which bounds the recursion.
    static let maximumDepth = 100

    static let withoutName = HTTPMessageError(
        .invalidQueryValue, "Cannot write a value without named properties as a query; append it under a name.")

    static func unwritable(_ name: String, _ problem: String) -> HTTPMessageError {
        HTTPMessageError(.invalidQueryValue, "Cannot write \(quoted(name)) in a query: \(problem)")
    }

    static func unreadable(_ name: String, _ problem: String) -> HTTPMessageError {
        HTTPMessageError(.invalidQueryValue, "Parameter \(quoted(name)) \(problem)")
    }

    static func error(_ error: any Error, encoding value: some Encodable) -> HTTPMessageError {
        if let error = error as? HTTPMessageError { return error }
        var path: [any CodingKey] = []
        if case EncodingError.invalidValue(_, let context) = error { path = context.codingPath }
        return HTTPMessageError(.invalidQueryValue, "Cannot encode type \(type(of: value)) as a query\(text(path)).")
    }

    static func error(_ error: any Error, decoding type: Any.Type) -> HTTPMessageError {
        if let error = error as? HTTPMessageError { return error }
        return HTTPMessageError(
            .invalidQueryValue, "Cannot decode type \(type) from a query\(text(error.decodingPath)).")
    }

    private static func text(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "" : " at " + quoted(path.map(\.stringValue).joined(separator: "."))
    }

    /// The start of a name, which may come from a server, in quotes.
    private static func quoted(_ name: String) -> String { String(name.prefix(80)).debugDescription }
}
