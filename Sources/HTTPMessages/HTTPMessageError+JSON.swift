@_exported public import JSON

extension HTTPMessageError {
    /// Creates the error for a value that cannot be a JSON body, with the same message.
    package init(_ error: JSONError) { self.init(.invalidJSON, error.message) }
}
