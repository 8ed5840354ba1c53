/// The value of `X-Delta`: `v0-last`, `v1-v3` or `auto`.
enum DeltaRange: Hashable {
    case auto
    /// Without a target the last version.
    case versions(base: Int, target: Int?)

    /// Parses a field value; nil if it has another form.
    init?(_ text: String) {
        if text == "auto" {
            self = .auto
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let base = Self.version(parts[0]) else { return nil }
        if parts[1] == "last" {
            self = .versions(base: base, target: nil)
        } else {
            guard let target = Self.version(parts[1]) else { return nil }
            self = .versions(base: base, target: target)
        }
    }

    private static func version(_ text: Substring) -> Int? {
        guard text.first == "v", text.dropFirst().allSatisfy(\.isWholeNumber) else { return nil }
        return Int(text.dropFirst())
    }
}
