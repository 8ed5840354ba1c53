/// Keys and a signature that OpenSSL made, for tests only.
enum TestKeys {
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDWctNawMRokGpT
        eEh/DyM2kEFGlN4P7FygtiUTTxJS/4Y9sun2T4rXAGCJ+4cm6+dgWZPLhiGH3k+A
        OIEqb8PEy1DziM+QEFG69c4Eq/4Ud6u+MwKjfhAEh14D8oFBE9KqNzHQe6zamGGH
        qlJxodM4EYozihRTUAB05rAD+wtlNb04+BFmM+HXcuwL2DalVkCvdCt58RuNnxwA
        /X36nYC+z7Phcq5MRdqw9I2Re2wTURDIUgtsRWkfVyq70cJnAWajADLPrH3rh4ei
        BWclgOR4hweNDXJ/8Nhu2ICJsX3k2Uz0xzCNqPcZW4TTsv13DyZ1JaXBfEpF4AlS
        mUNJCHa1AgMBAAECggEAAuS3OdL+g2upZ5lonwBBCSAupUlmaqAVitySSP2o4WJN
        uSDkG7zsgmSgqNPyOaH2s/vZbOZRJwBmobQBeCVcZpgYrkSDCm5R7/wXjMQWUEfi
        ExWknDib9jeuWs7HlC10ivPmMeotRaDHNhmj9aEJlMjVzMa46fvbGbiwGMmnGHU4
        ExMYyATLO88+kyiQS0q2qoGQwp5pb3FrcMBbd51MarYM3fAxNBGDlEdu72L5OVoj
        we0tcqkM0yQWmWCRN2PWndmLRfwgRw+8u1xK63b0oVqkUIM78vZsx260YBNIZTiZ
        v8qg628ChtbFG5luIWUJ7BroJqxlm+NSuGYLHsjskQKBgQD7Mow0ilfZbDph9D0W
        YVJ5IX2bdFBY2m+tTgqAAhrz+ayomwMnym7xOJAuRu/8H1VZq1cW8r0372tdY6OC
        V6ij+2qeKQLAXgv9NVODl+Vp8i7qwPmGLU1ANic+Pdvm1Xkd0HyLyr2FFISOCE4y
        McUZ76tJkAewCsmzwpPVVYQ+EQKBgQDajGpP5+zAX4CEL3NU/52YJ+p4hKxlzxe5
        7B0f/xd+gkT3cmyW3InJd4UY63eAXGQybPn6Yl8ohNhoYzTPPEcGop25RAqUBqN7
        DV3G9jqunpWVshSDY/lK0Y8UePPHsl8bafRO50YS4s8ElYigeUekHG9bX7DiPI3x
        eO3Bq2paZQKBgCchU6fnmRG8g0e5BT8UQAWwiuGJd+6vcFAd5RLVwR8aWKQXKaGs
        LiYTeppK4J10wBXs0+82NvWcrSvqFpF6WEHbK1uh5dTTkaiLAwxvwAQF/vsAvp4B
        NpR3GxveBQBrZqeXT59zIJy3eoKplozJJfwJUrRt5FSvCYagG+lSnfwRAoGBAM6W
        ONB7zYIzRIqvR/grAM+Zu7xcvZInZqgrF4TtX0oI3iSCFz+sDNtSjY/21SmTLGu2
        M76JSqZEnURfssXKluEgyrMcLFuswtBI3EJ88w+pfIDaqyVgVYByAyw5AUfdxqVl
        TLlhSQ4FM+eDank264+oCWN4Wv4ge5Ss2SJfZNM5AoGAFC4uVlsELVh5BL3XNDv8
        d5i8Cm1KC1qqgG7FBIh7xazx91R4jmg5gcMzI3PtYIkwPTmVrE6s9TpDOYS7NcBl
        EJOWsxKPYEyAXc1/ZWRdHyP6RB1bNGOkwyQ9Ac6Po2qHAbY+z188yArMQnY6117C
        iTD08QjQ1OZ3+KY09ds+ZC0=
        -----END PRIVATE KEY-----
        """

    /// The same key as ``pkcs8``.
    static let pkcs1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEA1nLTWsDEaJBqU3hIfw8jNpBBRpTeD+xcoLYlE08SUv+GPbLp
        9k+K1wBgifuHJuvnYFmTy4Yhh95PgDiBKm/DxMtQ84jPkBBRuvXOBKv+FHervjMC
        o34QBIdeA/KBQRPSqjcx0Hus2phhh6pScaHTOBGKM4oUU1AAdOawA/sLZTW9OPgR
        ZjPh13LsC9g2pVZAr3QrefEbjZ8cAP19+p2Avs+z4XKuTEXasPSNkXtsE1EQyFIL
        bEVpH1cqu9HCZwFmowAyz6x964eHogVnJYDkeIcHjQ1yf/DYbtiAibF95NlM9Mcw
        jaj3GVuE07L9dw8mdSWlwXxKReAJUplDSQh2tQIDAQABAoIBAALktznS/oNrqWeZ
        aJ8AQQkgLqVJZmqgFYrckkj9qOFiTbkg5Bu87IJkoKjT8jmh9rP72WzmUScAZqG0
        AXglXGaYGK5EgwpuUe/8F4zEFlBH4hMVpJw4m/Y3rlrOx5QtdIrz5jHqLUWgxzYZ
        o/WhCZTI1czGuOn72xm4sBjJpxh1OBMTGMgEyzvPPpMokEtKtqqBkMKeaW9xa3DA
        W3edTGq2DN3wMTQRg5RHbu9i+TlaI8HtLXKpDNMkFplgkTdj1p3Zi0X8IEcPvLtc
        Sut29KFapFCDO/L2bMdutGATSGU4mb/KoOtvAobWxRuZbiFlCewa6CasZZvjUrhm
        Cx7I7JECgYEA+zKMNIpX2Ww6YfQ9FmFSeSF9m3RQWNpvrU4KgAIa8/msqJsDJ8pu
        8TiQLkbv/B9VWatXFvK9N+9rXWOjgleoo/tqnikCwF4L/TVTg5flafIu6sD5hi1N
        QDYnPj3b5tV5HdB8i8q9hRSEjghOMjHFGe+rSZAHsArJs8KT1VWEPhECgYEA2oxq
        T+fswF+AhC9zVP+dmCfqeISsZc8XuewdH/8XfoJE93JsltyJyXeFGOt3gFxkMmz5
        +mJfKITYaGM0zzxHBqKduUQKlAajew1dxvY6rp6VlbIUg2P5StGPFHjzx7JfG2n0
        TudGEuLPBJWIoHlHpBxvW1+w4jyN8XjtwatqWmUCgYAnIVOn55kRvINHuQU/FEAF
        sIrhiXfur3BQHeUS1cEfGlikFymhrC4mE3qaSuCddMAV7NPvNjb1nK0r6haRelhB
        2ytboeXU05GoiwMMb8AEBf77AL6eATaUdxsb3gUAa2anl0+fcyCct3qCqZaMySX8
        CVK0beRUrwmGoBvpUp38EQKBgQDOljjQe82CM0SKr0f4KwDPmbu8XL2SJ2aoKxeE
        7V9KCN4kghc/rAzbUo2P9tUpkyxrtjO+iUqmRJ1EX7LFypbhIMqzHCxbrMLQSNxC
        fPMPqXyA2qslYFWAcgMsOQFH3calZUy5YUkOBTPng2p5NuuPqAljeFr+IHuUrNki
        X2TTOQKBgBQuLlZbBC1YeQS91zQ7/HeYvAptSgtaqoBuxQSIe8Ws8fdUeI5oOYHD
        MyNz7WCJMD05laxOrPU6QzmEuzXAZRCTlrMSj2BMgF3Nf2VkXR8j+kQdWzRjpMMk
        PQHOj6NqhwG2Ps9fPMgKzEJ2Otdewokw9PEI0NTmd/imNPXbPmQt
        -----END RSA PRIVATE KEY-----
        """

    /// The RS256 signature of `signed text`, in base64.
    static let signature = """
        QDA0rhGIf9R3R4XRCbNTjoXVX9gxxBsyAmGz+8yDnszDkWDLE17lM3zW/7DP+bsjiSaOYkwdK/8F06T2+lDhChEMzIQngMV6Ws1t\
        HI7QyACWoRXSPdUVehSYsSHQB04iVB0fmDDrRedk9IazQbwR1Htbzur2UkOEkvXk43CrNlTsGr4TEZQm5A8KPKDsZxo1y5nliY0i\
        vnuBnCm9ofZmYAz7U7iihK0o9wLpOAqOOduEBbWtbDkYwpTsBJu8UVK79JJrLVhxqYRXysWnFMu7B7I9sBZG7ko49mIPXpAwuVM0\
        9frx670PsAjFLMUwFNZP+WzXBvMETWYK66PpY2YU8w==
        """

    /// 1024 bits.
    static let short = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAL3Q/eLfAoPyUHrX
        RXYgLPt/Bl1dVdghTb3tsEovU1pP/c4Y9qW4XzeS+lPqU4pPhZGQh8wncLAMwGLD
        h2gVZxOCt6bxOCbzU0DZbuv/Gr84UjXCWeILuBgT3VEXhqbc4c9LcCquXEYHOE7I
        7yVbxrYvGjo2kzPnqNneQIE+vo9zAgMBAAECgYEAmOxJzsB6J1FOE1lhhcRwWQHC
        X++1HFXgaxaWQ34TOhxdzu//rg128LAB6x9KxJBCfL6jGQ/hUoRDbo42hd1QV11a
        +njvvqpoBe6noU9D1bH6/1A3/f1jGqjvoF4PmIyZ/y508BE4R1skGu6TF6SVSdJi
        yTXE/KWkNIM6+miJ7ukCQQDhurrjccNT+Q3Hpj7z82HBbRc8xHQSmmG6/Ecv+Mk4
        0atu1NC2o8PIArL10J3ieL03/Y7F+0CMnA03GkXHuu53AkEA10Vez3IJGUupbL7M
        sNQ1FN9wq5IhrI+58dN2EW044qGbrrMvO0Y3IDmKYE9H1AHaTfE0Q5LVVcfCgfGf
        Q/d55QJBAKmSzqzonJUrxvdR437+OlTFsCw9ZPlIstx2gr/+BKRDlqbHBxf9hKlv
        paNWmhU1IOi7+ZKvgjlfTeo0OXGm81cCQGMaeZJxAkVV8tKwaBWELEfGsd0askv6
        AvWUj0dojAaxtbVQoo7cPWaldtHtzbiJfdHiGFh/kZ0jEKW38cVdeg0CQHY7vRYa
        n+rfjYSmfmJyANT6oYNwp9NZP83x7RckcbkaOampl7ty0+pHa8NZkHIOcYxAv1Dt
        h7EjxATfrA0i3vw=
        -----END PRIVATE KEY-----
        """

    static let ellipticCurve = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtaZRZqUTXpaRaC8H
        alUqaQWz4+ff7HubvbxW+cuj+WqhRANCAAT6/7zXpbpVEhgkQXEM/hR8/oc2dLJt
        dlxzNPZj4iSMGFfmH+I1OxPHWGR86UXG+B7SDl5hc28e/cW7dxs/0T9U
        -----END PRIVATE KEY-----
        """
}
