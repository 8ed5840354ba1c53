import Foundation

@testable import Signing

/// The keys of RFC 9421, appendix B.1, and one of P-384 that OpenSSL generated.
enum ExampleKeys {
    static func rsaPublic() throws -> VerificationKey { try VerificationKey(pem: rsaPEM, id: "test-key-rsa-pss") }

    private static let rsaPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
        +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
        oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
        gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
        Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
        aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
        2wIDAQAB
        -----END PUBLIC KEY-----
        """

    static let p256PEM = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIFKbhfNZfpDsW43+0+JjUr9K+bTeuxopu653+hBaXGA7oAoGCCqGSM49
        AwEHoUQDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM
        4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
        -----END EC PRIVATE KEY-----
        """

    static let p256PublicPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
        w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
        -----END PUBLIC KEY-----
        """

    static let p384PEM = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCn86wAe6zrkkbXnYuo
        899OyMVWzfSYLVKoPRcbRlYD2tOnef6MTQGBUxgvJxiKtJqhZANiAARgZuyEI8Vo
        8YHaBNw1VWMfNpLW4mNzmm5SxXEZ2W7MWY7k/451MjahOowvlfu6vOmdxXiHn2NT
        4UZD/Dw03zD7r9AuEaWssHc4hdL89sqN75n1FQTno5mWOTAB2aRPJCQ=
        -----END PRIVATE KEY-----
        """

    static let p384SEC1PEM = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDCn86wAe6zrkkbXnYuo899OyMVWzfSYLVKoPRcbRlYD2tOnef6MTQGB
        UxgvJxiKtJqgBwYFK4EEACKhZANiAARgZuyEI8Vo8YHaBNw1VWMfNpLW4mNzmm5S
        xXEZ2W7MWY7k/451MjahOowvlfu6vOmdxXiHn2NT4UZD/Dw03zD7r9AuEaWssHc4
        hdL89sqN75n1FQTno5mWOTAB2aRPJCQ=
        -----END EC PRIVATE KEY-----
        """

    static let p384PublicPEM = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEYGbshCPFaPGB2gTcNVVjHzaS1uJjc5pu
        UsVxGdluzFmO5P+OdTI2oTqML5X7urzpncV4h59jU+FGQ/w8NN8w+6/QLhGlrLB3
        OIXS/PbKje+Z9RUE56OZljkwAdmkTyQk
        -----END PUBLIC KEY-----
        """

    static let ed25519PEM = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
        -----END PRIVATE KEY-----
        """

    static let ed25519PublicPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
        -----END PUBLIC KEY-----
        """

    static func p256() throws -> SigningKey { try SigningKey(pem: p256PEM, id: "test-key-ecc-p256") }

    static func p384() throws -> SigningKey { try SigningKey(pem: p384PEM, id: "test-key-ecc-p384") }

    static func ed25519() throws -> SigningKey { try SigningKey(pem: ed25519PEM, id: "test-key-ed25519") }

    static func shared() throws -> SigningKey {
        let text = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
        return try SigningKey(
            .hmacSHA256, rawRepresentation: Data(base64Encoded: text) ?? Data(), id: "test-shared-secret")
    }
}
