import Foundation

/// Texts that are looked for in one pass over the data: their first eight bytes are keys of a hash table, and the few
/// places that have such bytes are compared.
struct SecretForms {
    private var long: [UInt64: [Data]] = [:]
    /// The keys by 16 of their bits, of which most places of data have other ones.
    private var filter = [Bool](repeating: false, count: 1 << 16)
    /// Those with fewer than eight bytes.
    private var short: [Data] = []

    init(_ forms: [Data]) {
        for form in Set(forms) where !form.isEmpty {
            guard form.count >= 8 else {
                short.append(form)
                continue
            }
            let key = form.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            long[key, default: []].append(form)
            filter[Self.bits(of: key)] = true
        }
    }

    var isEmpty: Bool { long.isEmpty && short.isEmpty }

    private static func bits(of key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) >> 48) }

    /// Whether the data has one of the texts.
    func areFound(in data: Data) -> Bool {
        if short.contains(where: { data.range(of: $0) != nil }) { return true }
        guard !long.isEmpty, data.count >= 8 else { return false }
        return data.withUnsafeBytes { bytes in
            (0...(bytes.count - 8)).contains { position in
                let key = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                guard filter[Self.bits(of: key)], let forms = long[key] else { return false }
                return forms.contains { bytes[position...].starts(with: $0) }
            }
        }
    }
}
