/// A key made for these tests alone, and what jwcrypto 1.6 and pyca/cryptography sealed for it.
enum EnvelopeVectors {
    /// An RSA key in PKCS #8.
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEuwIBADANBgkqhkiG9w0BAQEFAASCBKUwggShAgEAAoIBAQDC7xcycj7kQvbw
        9N5gYjUmLUDj8azAN/0s/nPhizTPOtHaL+vbSRQeQT+kpC79BKmsWyOezJUBJ5BA
        154E3CGBbTm4ZucRaYSJkrUDH98X04P4MfGJfXPm/waVYG+xXunkdx50flZg04ud
        k4kQMRvJlzDGPtKghXPXRrBRKVaINKtAMB/QWtVaGLjQwOFCKeolkx7Cqrh/l+K7
        UDnq7B3mAhuIbS2DNCLucanRECbrx9jEW9bXwUcBUXN2ey+b9CAIJse3+Z9TKno6
        8oGPHGLc2wH8GdLtF22MHmsG8v2vWPgWBQC+egpP8rEC5ARhpSm2PXCSowfCenpw
        qRrrAWMJAgMBAAECgf8G5FHtxWYGRfKbnITA4kTHmZqJNMmHFVstJQxSAfA5UJG1
        UaefMcL1hcro8iCSBBrg9SyaWSJEEcYXV02G72sxkrYyquMcGepyjPjrrIL+k8gq
        MLjOH7a/2Iocp428+f/v+WL5ji8NODV8XSQZB306I6Nmk2kMd8h7reP0yRrwFvm/
        bswImWgB4ohJZbAsSz97yx5SF4Mer4el+qdgyQvGN6xhTpJuwgdUvAKXoosNfIr0
        EK5P4r+K6Sy2K0QyS3sTyt1T3l9LFUb2BGAlttM6V/Or64/fqg3ESHAdDGc5Ag0g
        mxcPi2Uqo1+3FZDabbyDsv0URP4x0VKUmwCzB7sCgYEA/9aRiabyimvBAmqtyWIp
        plEG1b/uSMdOFEujuiuyl30tbTdZW+AeKiWCc2d1jU3QyXUdyGhzZiuIgZ2nYP8x
        SlAYK7toeeARcGVC6/EDu31nKA8lOejDTLo8kvdH+9VpU1zQMug/1MVg/4+WtLAc
        sBSm8JDEPAfk4cAcbWEJMd8CgYEAww6otfB8s2qbAk7nn2Xplzpqg3ABxvx+7XO7
        Y3UXBDmVrp7BPjLVaZe1GbhUwZ8l9+iGg/OVTtpXszpmS/xX2mfODHqS0y9Blwx1
        e1hfREMcl21TjwKgrqkZfG1tIk2/TCGOqMhO87OmeADpKiTCQYq10jEOhzkupqnt
        9UOfGBcCgYACSJ8J9ISLucSCSgN9HbQzeNuvwsPUwHqw8a/ndIZmlcZ3CBxzFoAO
        bkFI2G6TMVOgyLvYUx5clhzk00xwMDb3a9mbYlPfaqGdODotsvwOi2MFV4VEjBBa
        OftacHyjAder19M/8RTIyG5CObzlpgDLjZOj6BboVkWzwiw+ybP0TwKBgDzdfCOZ
        sS/DGi90M653fJZl8gqljshqzaiGrnhwdwgod96PRzmDXzid0DMAY+IvKQfclOzj
        uzlpxGf21yjqyvcp4Q/fx6UCX/MkPhyJDOEeF/Pgd2xuo3kc5wj+lElZ/VFiP0PH
        jWtaKZ3Umu09nygYgnfeOuxTGY2EBO69dQ1tAoGBAN/zwLJ/uWtsw8P4UC4bcUZd
        +pgOUF01Zx6YpjfEXVNJTOdZQuv7XwgdcHcu6F8+KUO1Ny5/y7IC605PZAt30xHf
        zLOygKDWUwTKNHip8AWu+maDEXCIbzkztfcfEw8eAxrxDlh2Ulwl7RcNt9vGwB7u
        vDIQB+NFuKNYhN+mWHqT
        -----END PRIVATE KEY-----
        """

    /// A certificate of the key.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIICqTCCAZGgAwIBAgIBATANBgkqhkiG9w0BAQsFADAYMRYwFAYDVQQDDA1GaXJl
        TGl0ZSB0ZXN0MB4XDTIwMDEwMTAwMDAwMFoXDTQwMDEwMTAwMDAwMFowGDEWMBQG
        A1UEAwwNRmlyZUxpdGUgdGVzdDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoC
        ggEBAMLvFzJyPuRC9vD03mBiNSYtQOPxrMA3/Sz+c+GLNM860dov69tJFB5BP6Sk
        Lv0EqaxbI57MlQEnkEDXngTcIYFtObhm5xFphImStQMf3xfTg/gx8Yl9c+b/BpVg
        b7Fe6eR3HnR+VmDTi52TiRAxG8mXMMY+0qCFc9dGsFEpVog0q0AwH9Ba1VoYuNDA
        4UIp6iWTHsKquH+X4rtQOersHeYCG4htLYM0Iu5xqdEQJuvH2MRb1tfBRwFRc3Z7
        L5v0IAgmx7f5n1MqejrygY8cYtzbAfwZ0u0XbYweawby/a9Y+BYFAL56Ck/ysQLk
        BGGlKbY9cJKjB8J6enCpGusBYwkCAwEAATANBgkqhkiG9w0BAQsFAAOCAQEANOYc
        ejRc8bxwVW44kUu2kYu0qSlbe3CihiPQmfDZotHX6TBp/g8Y208X2HeVGAFa7sAa
        PrQS9C/e4EUcb/Exk5FxVd1r66a6nMcIlxxyBni12mQTgxN6cyXhOHfZZGaQeJ/D
        odQWpjIu7sCV9TjUD9pEd/bo2IhEb+MUmm2joy02d8i8MXpKUiXn376hDairJTyv
        T4T63YMCdX5bJ4OO/UE5fX9gdlVuvRP6fFLKgiooBoPnoR8mKzfVLlqd8A98RZdk
        t323c2wWcj5wc7/mJAx1X80Rfgmp23lVVrQAJ+05muIpX695g9u6t5SvU9ll7v24
        wfC3ErXVrtX3P9PPUw==
        -----END CERTIFICATE-----
        """

    /// A JWE.
    static let jwe = """
        eyJhbGciOiAiUlNBLU9BRVAtMjU2IiwgImVuYyI6ICJBMjU2R0NNIiwgImtpZCI6ICJrZXktMSJ9.OOb_4RzotAr57bFKDLQVMDD-LdslS-bS9\
        JN3pJFO2G1-tEHB6GJ57_y9b8l0xZ-mrzL_vaIoCYRyjK4HWAEnn85Ai1ebQOevQYiTL6iXOlotoQ84aB_88uJKhb0Zdue0dj123yBagSx6gYp\
        dAVMFdAmNSgsLQy2Sub5SCZg-zZ1eLcgN6Ir1_OFHkfr8HXEu9zRIXYnevfAVkaCNKvjOhLArkbVF6phqRENrGXSN2Xf1sqrxUZXUtr8ihfqc1\
        qvJ7Aomj1M9jL1j2p6ia6A2QYvcdSsKWatx9ytwdIrJUXk9HjoT-FGTG2ZVZzmK7eGYQQ69Z5nC2T5oJTwFh8p94A.6Ju1uG2h2vv06Ar_.qY6\
        AjmPIXynpdsfzlaUSe-9eyGyaUY9BDuCQyHJFoD3AV5g.-YYWdXorVjuM5i6xnPhdOA
        """

    /// An envelope of the old form.
    static let legacy = """
        {"key_id":"key-1","symmetric_key":"ozfZ6OciXTipGcT3IsT/SRRHEYF5jn8S9Dw5RnDVReZbIcRlpF/IOIkJxgzEH0aZXoGNm5DRqOD\
        aqC+bZZrwiwSPeDdDIQ/w2vVRLaq+RgFiRwJJ/FUSVlwnLwTHKZ5DnnW/LMACRGibj1BqB8lJVtQy0BPH3QFMYsuaX2oSI6+iIaFtul5oEQ1LQ\
        ryXncPVSnmQ85IcQDLBSKRAed6gFnKh4LOtgy6kOMx3i1f16OAuHya4GkWbCMGcnceelWosS/G7fKEyOl4Oo+5N0bE1lVe0UC24+eRz0K2kuhk\
        ot/+6chD5E1HpXxPfAALOKLSAFfhkhize1C7D6fQ632EaeQ==","message":"FLGCnaxQQW6NQVd1gQN/rs+jGsNOU3pRpC71moLmq5GY0mdx\
        5bMlsgDIIi0McKnY","version":"1.0.2"}
        """
}
