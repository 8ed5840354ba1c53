/// Error in a resource's schema, or in the parameters of a call.
///
/// The message names resources, tables, columns and parameters, but never contains a value.
struct ResourceError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    enum Code: Hashable, Sendable {
        /// The server's schema is not of the documented structure.
        case invalidSchema
        /// The parameters of a call are not a JSON object, or do not fit the resource's schema.
        case invalidParameters
        /// A digest of the parameters failed, so that a table has no name.
        case digest
    }

    let code: Code
    /// What is wrong and what to do about it, for a developer.
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }
}
