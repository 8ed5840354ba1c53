/// An argument of an Objective-C message, in the form that the method's C type requires.
enum ObjectiveCArgument {
    /// An object, or nil for the null pointer.
    case object(AnyObject?)
    /// An integer of any width, or a truth value: the register is the same.
    case integer(Int64)
    case float(Float)
    case double(Double)

    /// Converts a value; nil if it does not fit.
    /// - Parameter encoding: the type in the runtime's encoding, such as `@` for an object.
    init?(_ value: Any, encoding: String) {
        switch encoding {
        case "@":
            // As `AnyObject`, a nil of an optional would be an `NSNull` (SE-0140).
            if case Optional<Any>.none = value { self = .object(nil) } else { self = .object(value as AnyObject) }
        case "f":
            guard let value = value as? Float else { return nil }
            self = .float(value)
        case "d":
            guard let value = value as? Double else { return nil }
            self = .double(value)
        // `BOOL` is a `signed char` on some platforms.
        case "B", "c":
            guard let value = value as? Bool else { return nil }
            self = .integer(value ? 1 : 0)
        case "q", "i":
            guard let value = value as? any BinaryInteger, let integer = Int64(exactly: value),
                encoding == "q" || Int32(exactly: integer) != nil
            else { return nil }
            self = .integer(integer)
        case "Q", "I":
            guard let value = value as? any BinaryInteger, let integer = UInt64(exactly: value),
                encoding == "Q" || UInt32(exactly: integer) != nil
            else { return nil }
            self = .integer(Int64(bitPattern: integer))
        default: return nil
        }
    }
}
