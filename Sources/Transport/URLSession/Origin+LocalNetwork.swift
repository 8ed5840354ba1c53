import HTTPMessages

extension Origin {
    /// True if the host's name shows that it is in the local network, for which Apple's platforms ask the user: Bonjour
    /// names, private and link-local addresses (RFC 6762, 1918, 3927, 4193, 4291).
    var isInLocalNetwork: Bool {
        if host.hasSuffix(".local") { return true }
        if host.hasPrefix("[") {
            return ["[fc", "[fd", "[fe8", "[fe9", "[fea", "[feb"].contains(where: host.hasPrefix)
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard numbers.count == 4, !numbers.contains(nil), let first = numbers[0], let second = numbers[1] else {
            return false
        }
        return switch (first, second) {
        case (10, _), (172, 16...31), (192, 168), (169, 254): true
        default: false
        }
    }
}
