/// What to do with a body's bytes that its charset does not allow.
public enum InvalidBytePolicy: Hashable, Sendable {
    /// Throw an error that says where the first of them is. A charset that is not known is an error too.
    case refused
    /// Put U+FFFD in their place. A charset that is not known is taken for the default; so any body is a text.
    case replaced
}
