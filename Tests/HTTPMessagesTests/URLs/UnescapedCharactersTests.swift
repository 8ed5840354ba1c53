import Testing

@testable import HTTPMessages

@Suite struct UnescapedCharactersTests {
    /// All of ASCII that a set leaves, apart from letters and digits.
    private static func others(_ set: UnescapedCharacters) -> String {
        String(
            decoding: (UInt8(0)...255).filter { byte in
                set.contains(byte) && !(byte < 128 && Character(Unicode.Scalar(byte)).isLetter)
                    && !(0x30...0x39).contains(byte)
            }, as: UTF8.self)
    }

    @Test(arguments: [
        (UnescapedCharacters.unreserved, "-._~"), (.form, "*-._"), (.uriComponent, "!'()*-._~"),
        (.extendedValue, "!#$&+-.^_`|~"),
    ])
    func `each set has letters, digits and its other characters`(set: UnescapedCharacters, others: String) {
        #expect(Self.others(set) == others)
        let alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(alphanumerics.utf8.allSatisfy(set.contains))
    }

    @Test func `all other bytes of the UTF-8 are encoded once`() {
        #expect("a b/é%2F~".percentEncoded(except: .unreserved) == "a%20b%2F%C3%A9%252F~")
        #expect("a b+c~*".formEncoded == "a+b%2Bc%7E*" && "".formEncoded.isEmpty)
        #expect("['x y']".percentEncoded(except: .uriComponent) == "%5B'x%20y'%5D")
        #expect("J\u{e4}s*".percentEncoded(except: .extendedValue) == "J%C3%A4s%2A")
    }
}
