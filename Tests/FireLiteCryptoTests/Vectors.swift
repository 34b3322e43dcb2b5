/// Keys made for these tests alone, and what another library (pyca/cryptography 38 on OpenSSL) made with them.
enum Vectors {
    static let message = "The quick brown fox jumps over the lazy dog"

    /// An RSA key in PKCS #8.
    static let rsaKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDKQcPdGRdsSIaK
        S0SILdxrGEsZ5u/pOMzOWSqXbLp4f4Oi6aa/ixPuxgIikGQW5oi2osyZQI+PO6tc
        GliIsPg7beJzFisfO3xDPiFdZpV/4uECxgFN6k8d/z7d/VUgju6wk19jkCuqC1k2
        WUNBlk6v9XkVdajsf0LfUvsOvuiJlyF7BpZV5fNrsbB79c7jr0AEaw7r0edz7Pfx
        zydCMZ9ie0lEU/Tor9uGsGS5UOpcPI43t24xzxmsk8sgNCa5ImjkPqWzaSldj9gC
        MwD6LHstVdSX7RNXiQSRdwueMRPvfNBDLGqrhFz42eXnw5OCxy4cyS4zy1VizfKE
        vLmaqyRVAgMBAAECggEALHMlm3q/NhH+V3hROGhzz6mIH8osIaJVCGh6Pssrc/36
        LRySg/gJymkD4RrAlHPXyeOfeXLB2iWv9E7p9CiIdW8h3E8b7QJCvfhylrdL1c5D
        yzs+4CPFfX8yDtF1GvGurWnGBfiSUA2sbpBRgqGI64zULo4sMMWLKc9v037LVilX
        R7WQZQMKaADWGbQhVTzJAig9eOnxyDGGywkXEHcQK8zH61KbeK3c9AXqdr+Inr9P
        TyisnpR9QoQrzSQSfd7F19ilCiwpSYTFDc7sjWZ5payffOpJ5CAeWDwmDG2s508/
        FZEFKVZQCTp+UPRRxmyJ4LKD7/SP0CIVgAggLS6JpQKBgQD5WKai9nE0vBh4UBHu
        GJbOxXfjbZZNMleqgiiKTeNB43Qx5MBngez69yvl1PbsbXh9aG1Hx8zPqmFS8xFa
        12pQM5s7uuhokM9TFB+kPCyPk661mJAkVKFYUStvy+aNvtW9nJGdjA/iX3bPwdpd
        eNRdAYXbGka1uU40BxjGGl11RwKBgQDPp28uY+1n100uGgp3B/Op1u5775IYu+qr
        7k+bc5D0EBUw7j1Q8lpWLHcIM+P7uURkuwcKAbDi/W0Qnnc2R0H5nCLbKMYU5QfI
        ep2aRTBWB1l/sloX3diJ7FJksZwHuk9ndEjQdUKCZHJKm/SAn5nDapBdK1Gdv3g2
        4+tK6JtXgwKBgAh3IwkrVsKUlDwZc9JikVQpzh0xjkXGrMVEL/4qEMoe38YF3yZk
        edg3Zg0igtOaD9oqHnOua9ytCyrWx8MOxzQ73ExV1ygdqnxGlaBszpJ9UBQoPtSM
        7wFhmBjukkBDt1v9oc/4fl2QIieBjFlaDdOuho3ewYHP7cDEcOng4UVnAoGAXxST
        W/J1ae6zcECMOiRx9XpsiGMRyjGBKmhcGxm3bYlPqq/rc30E0CBcAG2CHmieYGEi
        v/o2PDk+DzX/7+KA2wIbE65/xGF6RtmeAF1d3IZQ/J91kSgLVlvW/jQ09XThlsUv
        8gM/COVlT7RJJ/vsNAY/Q+np3QkmyjtiKVKIjnECgYBccCruciuVtKnM6+LZfb5d
        cXpgN0V22zqwfzjyu/VDy3Rw/wRArdfTxzMIqV15jvQasG/pN8muWjyeYV2WKKjs
        6idKIXXjo2uoLaCImicCymOCm6C6x3c3Bx5T6lkAdsj4dL1VSolM7Syd37GneH7m
        PGLyj5ta9yz3m1SM+Q2MfQ==
        -----END PRIVATE KEY-----
        """

    /// The same key in PKCS #1.
    static let rsaOldKey = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEogIBAAKCAQEAykHD3RkXbEiGiktEiC3caxhLGebv6TjMzlkql2y6eH+Doumm
        v4sT7sYCIpBkFuaItqLMmUCPjzurXBpYiLD4O23icxYrHzt8Qz4hXWaVf+LhAsYB
        TepPHf8+3f1VII7usJNfY5ArqgtZNllDQZZOr/V5FXWo7H9C31L7Dr7oiZchewaW
        VeXza7Gwe/XO469ABGsO69Hnc+z38c8nQjGfYntJRFP06K/bhrBkuVDqXDyON7du
        Mc8ZrJPLIDQmuSJo5D6ls2kpXY/YAjMA+ix7LVXUl+0TV4kEkXcLnjET73zQQyxq
        q4Rc+Nnl58OTgscuHMkuM8tVYs3yhLy5mqskVQIDAQABAoIBACxzJZt6vzYR/ld4
        UThoc8+piB/KLCGiVQhoej7LK3P9+i0ckoP4CcppA+EawJRz18njn3lywdolr/RO
        6fQoiHVvIdxPG+0CQr34cpa3S9XOQ8s7PuAjxX1/Mg7RdRrxrq1pxgX4klANrG6Q
        UYKhiOuM1C6OLDDFiynPb9N+y1YpV0e1kGUDCmgA1hm0IVU8yQIoPXjp8cgxhssJ
        FxB3ECvMx+tSm3it3PQF6na/iJ6/T08orJ6UfUKEK80kEn3exdfYpQosKUmExQ3O
        7I1meaWsn3zqSeQgHlg8JgxtrOdPPxWRBSlWUAk6flD0UcZsieCyg+/0j9AiFYAI
        IC0uiaUCgYEA+VimovZxNLwYeFAR7hiWzsV3422WTTJXqoIoik3jQeN0MeTAZ4Hs
        +vcr5dT27G14fWhtR8fMz6phUvMRWtdqUDObO7roaJDPUxQfpDwsj5OutZiQJFSh
        WFErb8vmjb7VvZyRnYwP4l92z8HaXXjUXQGF2xpGtblONAcYxhpddUcCgYEAz6dv
        LmPtZ9dNLhoKdwfzqdbue++SGLvqq+5Pm3OQ9BAVMO49UPJaVix3CDPj+7lEZLsH
        CgGw4v1tEJ53NkdB+Zwi2yjGFOUHyHqdmkUwVgdZf7JaF93YiexSZLGcB7pPZ3RI
        0HVCgmRySpv0gJ+Zw2qQXStRnb94NuPrSuibV4MCgYAIdyMJK1bClJQ8GXPSYpFU
        Kc4dMY5FxqzFRC/+KhDKHt/GBd8mZHnYN2YNIoLTmg/aKh5zrmvcrQsq1sfDDsc0
        O9xMVdcoHap8RpWgbM6SfVAUKD7UjO8BYZgY7pJAQ7db/aHP+H5dkCIngYxZWg3T
        roaN3sGBz+3AxHDp4OFFZwKBgF8Uk1vydWnus3BAjDokcfV6bIhjEcoxgSpoXBsZ
        t22JT6qv63N9BNAgXABtgh5onmBhIr/6Njw5Pg81/+/igNsCGxOuf8RhekbZngBd
        XdyGUPyfdZEoC1Zb1v40NPV04ZbFL/IDPwjlZU+0SSf77DQGP0Pp6d0JJso7YilS
        iI5xAoGAXHAq7nIrlbSpzOvi2X2+XXF6YDdFdts6sH848rv1Q8t0cP8EQK3X08cz
        CKldeY70GrBv6TfJrlo8nmFdliio7OonSiF146NrqC2giJonAspjgpugusd3Nwce
        U+pZAHbI+HS9VUqJTO0snd+xp3h+5jxi8o+bWvcs95tUjPkNjH0=
        -----END RSA PRIVATE KEY-----
        """

    /// A key on P-256 in PKCS #8.
    static let p256Key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgz2/lbcmBoTmRHpaH
        JfViMwccmCZu/QjobAscyH/i8KehRANCAASkyT8alBlCk+Ychk/LyviMpHLY0BEM
        hgaK42QWO3Zfa8safaGdpLEZhuU3T07D7VDZ6+LFa6kBmWxobbmXcIwq
        -----END PRIVATE KEY-----
        """

    /// The same key in SEC 1.
    static let p256OldKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIM9v5W3JgaE5kR6WhyX1YjMHHJgmbv0I6GwLHMh/4vCnoAoGCCqGSM49
        AwEHoUQDQgAEpMk/GpQZQpPmHIZPy8r4jKRy2NARDIYGiuNkFjt2X2vLGn2hnaSx
        GYblN09Ow+1Q2evixWupAZlsaG25l3CMKg==
        -----END EC PRIVATE KEY-----
        """

    /// A key on P-384 in PKCS #8.
    static let p384Key = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDA6krZbqFy7Z84GUFu9
        n2ZITNkqtk2NCDDKLp0WOrQj5R0sf1IqixCa4ROpJKfKeZuhZANiAATQQaBQ6P+6
        GNep5QBoyt5CcN3Yd+376KND0V4Jd/QjK91MdlGwoCJwgH2rxKbhF5l+hY0krdUO
        roi1tI7nfJ2V9RQq7SNu47dCWkzsVgIhjs+PSWG5eVuZbxlp7k9CuHk=
        -----END PRIVATE KEY-----
        """

    /// A certificate of the RSA key.
    static let rsaCertificate = """
        -----BEGIN CERTIFICATE-----
        MIICqTCCAZGgAwIBAgIBATANBgkqhkiG9w0BAQsFADAYMRYwFAYDVQQDDA1GaXJl
        TGl0ZSB0ZXN0MB4XDTIwMDEwMTAwMDAwMFoXDTQwMDEwMTAwMDAwMFowGDEWMBQG
        A1UEAwwNRmlyZUxpdGUgdGVzdDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoC
        ggEBAMpBw90ZF2xIhopLRIgt3GsYSxnm7+k4zM5ZKpdsunh/g6Lppr+LE+7GAiKQ
        ZBbmiLaizJlAj487q1waWIiw+Dtt4nMWKx87fEM+IV1mlX/i4QLGAU3qTx3/Pt39
        VSCO7rCTX2OQK6oLWTZZQ0GWTq/1eRV1qOx/Qt9S+w6+6ImXIXsGllXl82uxsHv1
        zuOvQARrDuvR53Ps9/HPJ0Ixn2J7SURT9Oiv24awZLlQ6lw8jje3bjHPGayTyyA0
        JrkiaOQ+pbNpKV2P2AIzAPosey1V1JftE1eJBJF3C54xE+980EMsaquEXPjZ5efD
        k4LHLhzJLjPLVWLN8oS8uZqrJFUCAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAosBg
        TKv6ZP0kxZasTkqQnyo+ZBosm2eN4IW5LHwe39arAapw794st32sRh/CQ9jbX1d6
        /BgpztW5Ji7jRXGe8NdZcoGkyciKIg+f9eMEKS6GeBaDmrU7H233m/nz0ORcI+3j
        wPahoUocdBkeoC93NXivvS8NcWeZyRHrQAIB+p8tCXik/MNtxKlWR6fA4PfiAPqb
        SdGQFIF8GrdPzzQg6L+cJre508T3vOZiFAO2FF3mCE9spEQ/1R9QXJWKKG/k1EHL
        XxRPGTXNWujLR3ISxA7ksUI40k9ddYPGn/ev7OXUNiPQJ6lTNnuZ1gDVNqFJLYcP
        /hj1Vl4q24uAUF0XpA==
        -----END CERTIFICATE-----
        """

    /// A certificate of the key on P-384.
    static let p384Certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBWjCB4KADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDUZpcmVMaXRl
        IHRlc3QwHhcNMjAwMTAxMDAwMDAwWhcNNDAwMTAxMDAwMDAwWjAYMRYwFAYDVQQD
        DA1GaXJlTGl0ZSB0ZXN0MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE0EGgUOj/uhjX
        qeUAaMreQnDd2Hft++ijQ9FeCXf0IyvdTHZRsKAicIB9q8Sm4ReZfoWNJK3VDq6I
        tbSO53ydlfUUKu0jbuO3QlpM7FYCIY7Pj0lhuXlbmW8Zae5PQrh5MAoGCCqGSM49
        BAMCA2kAMGYCMQCNBONdIOHbinOhfLFear/u5udsXiKvnBzwY6l9wRo+OprkAl+D
        OdAY+xb667hGInICMQC/3z4DaorN/O1Y2So/HDE39PUBMm+eowOF62d+tt80+45p
        6bR5Sr9UKQZvD41bfeU=
        -----END CERTIFICATE-----
        """

    /// The public half of an RSA key of 1024 bits.
    static let smallKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDH84s4skw5gchIy7JvUD10qr7M
        YYpHuX/LJpGZ8U3MorVx7eiIoIExZflxtMPLh0KI0vw3gwv0YhwFQlT5bgMT4y4c
        e3zay7xukf1SPv8H6BYpMFjaZ7BLQLV1/HlK3C53Or2i/x4SqRk/a/fE9FCfjy5S
        X9pjLSSPyFnUSMnpbwIDAQAB
        -----END PUBLIC KEY-----
        """

    /// A public key on P-521.
    static let otherCurve = """
        -----BEGIN PUBLIC KEY-----
        MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAEg1Hikh958RUmyH2UtLWN2Um1pVl
        i3DzB6UrUTDIsoSCWuxwGaaqFQFpmJZy10Qe97NgC6XzmhQkM42lIj0dU/cAuq5+
        uTrJ5e+Uw/U7Aa5aDfSADKhRZFv3DtCyXVg+f3G+3hLKJp6dY/odwMtvsahRyCFc
        +ZOdxUv95UtUGtJsBnA=
        -----END PUBLIC KEY-----
        """

    /// The RSA key's signature of `message` with SHA-256.
    static let rs256 = """
        tXL9oluXAIVxXZ/FfWMIqaohOTsFeyOC+3SHiq2dqQL2lf6It9M+cQoMtrV2B9HWcndXr9nNwmbLOXi3chzQy50QNGFREkROngD5\
        R5ECcTrkJlaYjHoDI4+YrCVPdMoDYdkH8O0qlBa5U/SB/6QO8nqA7+vM6XCpaglSHobLIk4uGGrX9Yov7QmzezQtXFBPAtZY3lcg\
        z+7WvzWM69mXwJpFP2JRx3cI6g9t+hef2w0huJr8zqA9mn1r10B/xKdZaXCViC9oiac7nVQDq2zAfYl99EyG9X4vBMoAMYgNN296\
        IUh8j+ClKE7XmM5SJmhX6Ld/GZ2yx+P5D4/T4lz+BA==
        """

    /// The RSA key's signature of `message` with SHA-384.
    static let rs384 = """
        MUOak7hYniOnS+d+OsfmSr/0uCJ8DkckgDUvOy9oZPuPG+EKjJQbXWpUi2sbSabexbJFMDDR86oTLhyva8DTaCR8uVHZolT05zkG\
        v3scuu0B0NX8O/WfondS09MPlfOeGcfZde9zGmKj0I0bXvo0Sl+Bh8kLX3vJlph2kbwjrzoDA4rpcESzkQspaC2lxMEq3o1uxYgj\
        5WRldyzR7z8O8V7uzFNkiC4K6BhxV4jUzJqqFOTvUjb5y45IUW/XKnAYtItHqIdBxbnhNrR7mGB+RJkDmgcGZIsv847bi3h/YLiP\
        o3hPAfX68vvJyG6mjyVLtCu3Vg/z1I1216I68sTC8A==
        """

    /// The signature of `message` by the key on P-256, in DER.
    static let es256 = """
        MEUCIFlDcwmB9xcBPQ0YvYw+jE91TUduWInS9RmirDyLNBOmAiEA6y1zyoSyPjX44CI8/zbf4V3G3MDr3qQ8SJWy8LfEfNQ=
        """

    /// The signature of `message` by the key on P-384, in DER.
    static let es384 = """
        MGUCMQCbJSEhxHFtVcCA+Z/Taj4usZxPkn3nZrtwqhZ/E2GvSgOAEkd+paFyNquiV+bmAXcCMFv7YZly24yWHWpzl14psOYzlP+b\
        U31nBRO5RY54PP5F0vZ3tu89r3Vua22ptF+Ivw==
        """

    /// `message` encrypted for the RSA key by OAEP with SHA-1.
    static let oaep1 = """
        Tbvh7jKiD5lvdXnQbbxMSLVAXRoficzkPgT6AT08aMYosfBjkHuvkefBS2mk77PwXMcQ+Whqkh4IeQZyeDvRhthuVRCAKHcAwUl7\
        Awl4DSbjvY/AGU6JCyMXrK6+6bOch4JjrWwu2gI+LB3RtSqZNqlo3Mc8WzLlUuazlFgiOxqJFkD62z9j2IjVmTiuyFiHODrhLwk7\
        ypegZ0VlJZEnWGugymNBtLehByejF9ZbPIEQ5VWI5/qWBIQvC7eAA44l46FCM9AjGSnEUmLflK7EqLN2NKW7m2L2SVxiUiNRFeu5\
        MomRLPaNWc8a2jZu/9//Pqe6xEJCCFp8agtpHafZ6g==
        """

    /// `message` encrypted for the RSA key by OAEP with SHA-256.
    static let oaep256 = """
        V8ne3YYHghFJoldjysF1fdkpFiUEiFGBva0BqANm1Yn7a1aaGLA4VqaYJ7XVyAV8I0qfPNFkVnp+L/JxallZ5D8B3Yk3hYoctiK5\
        hOfDZ3f1P7Lv1y+0qDuoqfR+3ubVFbIqqTwjB+v9uREnmHF4xTf1SK54ZtiegaXfGW6gTFZ93/KVvWB1hWBcKrWs61yRUdi6iJ/h\
        nESAUedllvYDD3IF+/x5TIW4vWDxEfU+jVBkA3lNbIoi8WxyTmtyEm0OqXH0Ly5Y3/PPtgq7XxE7I8hjJCz3thh20ASFe4shzfuV\
        YXBbjQWNLw25PDNVfaXZ/L4LXda+0vtbHIPfSfRQVQ==
        """
}
