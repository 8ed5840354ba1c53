/// Response with the status 304.
enum NotModified: Error {
    /// The stored rows, of this version, are current.
    case current(version: Int)
    /// The request had no validator of stored rows, so the response says nothing about them.
    case unconditional
}
