/// A type whose parts may be secrets: it shows its ``Swift/CustomStringConvertible/description`` only, also in a dump.
package protocol RedactedStringConvertible: CustomStringConvertible, CustomReflectable {}

extension RedactedStringConvertible {
    /// Same content as the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
