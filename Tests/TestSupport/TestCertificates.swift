public import Foundation

/// Self-signed certificates (X.509, DER), some of them expired: for tests of bytes and keys, which verify no dates.
public enum TestCertificates {
    /// A certificate of a key.
    public static let original = decode(
        """
        MIIBbjCCAROgAwIBAgIUNcndUY3tI0h3Bu4L3MTllvPx9nQwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAeFw0yNjExMjUx\
        OTUyMDBaFw0yNjExMjYxOTUyMDBaMAwxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATr488mUifqqozA\
        9upbwi5Kk9xAB4bGbQZI73GGrnrxAbzYPhE4V8K6KYdNb6lg6EvnxzrfVgRQzLGuShNlA21oo1MwUTAdBgNVHQ4EFgQUcC8o\
        bPev1AklP+MsHKZUyYcBmrAwHwYDVR0jBBgwFoAUcC8obPev1AklP+MsHKZUyYcBmrAwDwYDVR0TAQH/BAUwAwEB/zAKBggq\
        hkjOPQQDAgNJADBGAiEAzrYq9kBRhfpV0aPknCmna76IVmyu05RIHn/l7UAWIg0CIQCDw2+bZSsAWR67j055vVv4Q+JSj0p9\
        1musF1C00n+q3w==
        """)

    /// Another certificate of the same key, as a renewed one.
    public static let renewed = decode(
        """
        MIIBbjCCARWgAwIBAgIUE+3FCRSs/SWqdLW7UCIFty/aEyIwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYjAgFw0yNjExMjUx\
        OTUyMDBaGA8yMDUxMDcxNzE5NTIwMFowDDEKMAgGA1UEAwwBYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOvjzyZSJ+qq\
        jMD26lvCLkqT3EAHhsZtBkjvcYauevEBvNg+EThXwroph01vqWDoS+fHOt9WBFDMsa5KE2UDbWijUzBRMB0GA1UdDgQWBBRw\
        Lyhs96/UCSU/4ywcplTJhwGasDAfBgNVHSMEGDAWgBRwLyhs96/UCSU/4ywcplTJhwGasDAPBgNVHRMBAf8EBTADAQH/MAoG\
        CCqGSM49BAMCA0cAMEQCIBI9DIetYj2qmkQdDmi4ghZdu8LPReRUh1euBWzwWIsGAiBBPRMC7q84FZTwtuDl3I2ltRId+UOM\
        lLz2drF5DKXbHA==
        """)

    /// A certificate of another key.
    public static let other = decode(
        """
        MIIBbDCCAROgAwIBAgIUOp9qkFdx2fPyW3tchQiRBfbhac8wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAeFw0yNjExMjUx\
        OTUyMDBaFw0yNjExMjYxOTUyMDBaMAwxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATqjTsJLfCiZOUx\
        ohp1hSImzkdf6Gtnnta/J1uNeOq9am2Mlh1Gtoi7T8N1pgd0XdqdCjD3begMGRl4tU4OiqSGo1MwUTAdBgNVHQ4EFgQUvovP\
        rgyIoyfCmQp/MV9asY3eYgEwHwYDVR0jBBgwFoAUvovPrgyIoyfCmQp/MV9asY3eYgEwDwYDVR0TAQH/BAUwAwEB/zAKBggq\
        hkjOPQQDAgNHADBEAiAh2hLKmcu5r7IlzLg8XAt3m2MhswQMhoPLOFoF/J45ugIgcqzMv+Z8WYGCR4PTUF1e2OStH1zG/xbs\
        7yq6L1bbBM0=
        """)

    /// The SubjectPublicKeyInfo of ``original`` and ``renewed``, as OpenSSL reads it.
    public static let publicKey = decode(
        """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6+PPJlIn6qqMwPbqW8IuSpPcQAeGxm0GSO9xhq568QG82D4ROFfCuimHTW+p\
        YOhL58c631YEUMyxrkoTZQNtaA==
        """)

    private static func decode(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }
}
