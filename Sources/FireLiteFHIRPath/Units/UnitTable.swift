import Foundation

/// UCUM's base units, prefixes and derived units.
///
/// Covered are the SI units, mass, length, area, volume, time, pressure, energy, temperature, amount, activity and the customary units
/// of the United States and Britain. Logarithmic units (pH, bel, neper), homeopathic potencies and optical prism diopters are not.
enum UnitTable {
    /// A unit by its code with or without a prefix; nil if it is unknown.
    static func unit(_ code: String, depth: Int) -> Unit? {
        if let unit = atom(code, depth: depth) { return unit.unit }
        for length in 1...2 where code.utf8.count > length {
            guard let exponent = prefixes[String(code.prefix(length))] else { continue }
            guard let atom = atom(String(code.dropFirst(length)), depth: depth), atom.isMetric else { continue }
            return Unit(factor: exponent).multiplied(by: atom.unit)
        }
        return nil
    }

    private static func atom(_ code: String, depth: Int) -> (unit: Unit, isMetric: Bool)? {
        if baseUnits.contains(code) { return (Unit(dimensions: [code: 1]), true) }
        if let special = special(code) { return (special, false) }
        if arbitrary.contains(code) { return (Unit(dimensions: [code == "[IU]" ? "[iU]" : code: 1]), true) }
        guard let derived = derived[code], let unit = UnitParser.unit(derived.definition, depth: depth + 1) else { return nil }
        let factor = UnitFactor(numerator: derived.factor, denominator: 1)
        return (Unit(dimensions: unit.dimensions, factor: unit.factor.multiplied(by: factor)), derived.isMetric)
    }

    private static let baseUnits: Set<String> = ["m", "s", "g", "rad", "K", "C", "cd"]

    /// Units whose zero is not that of the base unit; they cannot be part of a term.
    private static func special(_ code: String) -> Unit? {
        let posix = Locale(identifier: "en_US_POSIX")
        switch code {
        case "Cel": return Unit(dimensions: ["K": 1], offset: Decimal(string: "273.15", locale: posix))
        case "[degF]":
            return Unit(
                dimensions: ["K": 1], factor: UnitFactor(numerator: 5, denominator: 9), offset: Decimal(string: "459.67", locale: posix))
        default: return nil
        }
    }

    /// Units of procedures, which convert into nothing but themselves.
    private static let arbitrary: Set<String> = [
        "[iU]", "[IU]", "[arb'U]", "[USP'U]", "[GPL'U]", "[MPL'U]", "[APL'U]", "[beth'U]", "[anti'Xa'U]", "[todd'U]", "[dye'U]", "[smgy'U]",
        "[bdsk'U]", "[ka'U]", "[knk'U]", "[mclg'U]", "[tb'U]", "[CCID_50]", "[TCID_50]", "[EID_50]", "[PFU]", "[FFU]", "[CFU]", "[IR]",
        "[BAU]", "[AU]", "[Amb'a'1'U]", "[PNU]", "[Lf]", "[D'ag'U]", "[FEU]", "[ELU]", "[EU]",
    ]

    private static let prefixes: [String: UnitFactor] = {
        let powers = [
            "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "d": -1, "c": -2, "m": -3, "u": -6,
            "n": -9,
            "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
        ]
        var table = powers.mapValues { power in
            let ten = Decimal(sign: .plus, exponent: abs(power), significand: 1)
            return power < 0 ? UnitFactor(numerator: 1, denominator: ten) : UnitFactor(numerator: ten, denominator: 1)
        }
        for (place, name) in ["Ki", "Mi", "Gi", "Ti"].enumerated() {
            table[name] = UnitFactor(numerator: 1_024, denominator: 1).raised(to: place + 1)
        }
        return table
    }()

    private struct Derived: Sendable {
        let isMetric: Bool
        let factor: Decimal
        let definition: String
    }

    private static let derived: [String: Derived] = {
        var table: [String: Derived] = [:]
        for line in definitions.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 4, let factor = Decimal(string: String(fields[2]), locale: Locale(identifier: "en_US_POSIX")) else {
                continue
            }
            table[String(fields[0])] = Derived(isMetric: fields[1] == "+", factor: factor, definition: String(fields[3]))
        }
        return table
    }()

    /// Code, `+` if it takes prefixes, number, and the unit that the number counts.
    private static let definitions = """
        1 - 1 {one}
        10* - 10 {one}
        10^ - 10 {one}
        [pi] - 3.1415926535897932384626433832795029 {one}
        % - 0.01 {one}
        [ppth] - 0.001 {one}
        [ppm] - 0.000001 {one}
        [ppb] - 0.000000001 {one}
        [pptr] - 0.000000000001 {one}
        mol + 6.0221367 10*23
        sr + 1 rad2
        Hz + 1 s-1
        N + 1 kg.m/s2
        Pa + 1 N/m2
        J + 1 N.m
        W + 1 J/s
        A + 1 C/s
        V + 1 J/C
        F + 1 C/V
        Ohm + 1 V/A
        S + 1 Ohm-1
        Wb + 1 V.s
        T + 1 Wb/m2
        H + 1 Wb/A
        lm + 1 cd.sr
        lx + 1 lm/m2
        Bq + 1 s-1
        Gy + 1 J/kg
        Sv + 1 J/kg
        gon - 0.9 deg
        deg - 2 [pi].rad/360
        ' - 1 deg/60
        '' - 1 '/60
        l + 1 dm3
        L + 1 dm3
        ar + 100 m2
        min - 60 s
        h - 60 min
        d - 24 h
        a_t - 365.24219 d
        a_j - 365.25 d
        a_g - 365.2425 d
        a - 1 a_j
        wk - 7 d
        mo_s - 29.53059 d
        mo_j - 1 a_j/12
        mo_g - 1 a_g/12
        mo - 1 mo_j
        t + 1000 kg
        bar + 100000 Pa
        u + 1.6605402e-24 g
        eV + 1.60217733e-19 J
        AU - 149597.870691 Mm
        pc + 3.085678e16 m
        [c] + 299792458 m/s
        [h] + 6.6260755e-34 J.s
        [k] + 1.380658e-23 J/K
        [eps_0] + 8.854187817e-12 F/m
        [e] + 1.60217733e-19 C
        [m_e] + 9.1093897e-28 g
        [m_p] + 1.6726231e-24 g
        [G] + 6.67259e-11 m3.kg-1.s-2
        [g] + 9.80665 m/s2
        [ly] + 1 [c].a_j
        gf + 1 g.[g]
        [lbf_av] - 1 [lb_av].[g]
        Ky + 1 cm-1
        Gal + 1 cm/s2
        dyn + 1 g.cm/s2
        erg + 1 dyn.cm
        P + 1 dyn.s/cm2
        Bi + 10 A
        St + 1 cm2/s
        Mx + 0.00000001 Wb
        G + 0.0001 T
        sb + 1 cd/cm2
        ph + 0.0001 lx
        Ci + 37000000000 Bq
        R + 0.000258 C/kg
        RAD + 100 erg/g
        REM + 1 RAD
        [in_i] - 2.54 cm
        [ft_i] - 12 [in_i]
        [yd_i] - 3 [ft_i]
        [mi_i] - 5280 [ft_i]
        [fth_i] - 6 [ft_i]
        [nmi_i] - 1852 m
        [kn_i] - 1 [nmi_i]/h
        [sin_i] - 1 [in_i]2
        [sft_i] - 1 [ft_i]2
        [syd_i] - 1 [yd_i]2
        [cin_i] - 1 [in_i]3
        [cft_i] - 1 [ft_i]3
        [cyd_i] - 1 [yd_i]3
        [bf_i] - 144 [in_i]3
        [cr_i] - 128 [ft_i]3
        [mil_i] - 0.001 [in_i]
        [cml_i] - 1 [pi]/4.[mil_i]2
        [hd_i] - 4 [in_i]
        [ft_us] - 1200 m/3937
        [yd_us] - 3 [ft_us]
        [in_us] - 1 [ft_us]/12
        [rd_us] - 16.5 [ft_us]
        [mi_us] - 5280 [ft_us]
        [acr_us] - 160 [rd_us]2
        [sct] - 1 [mi_us]2
        [gal_us] - 231 [in_i]3
        [bbl_us] - 42 [gal_us]
        [qt_us] - 1 [gal_us]/4
        [pt_us] - 1 [qt_us]/2
        [gil_us] - 1 [pt_us]/4
        [foz_us] - 1 [gil_us]/4
        [fdr_us] - 1 [foz_us]/8
        [min_us] - 1 [fdr_us]/60
        [crd_us] - 128 [ft_i]3
        [bu_us] - 2150.42 [in_i]3
        [tbs_us] - 1 [foz_us]/2
        [tsp_us] - 1 [tbs_us]/3
        [cup_us] - 16 [tbs_us]
        [foz_m] - 30 mL
        [cup_m] - 240 mL
        [tsp_m] - 5 mL
        [tbs_m] - 15 mL
        [gal_br] - 4.54609 l
        [pt_br] - 1 [gal_br]/8
        [foz_br] - 1 [gal_br]/160
        [gr] - 64.79891 mg
        [lb_av] - 7000 [gr]
        [oz_av] - 1 [lb_av]/16
        [dr_av] - 1 [oz_av]/16
        [scwt_av] - 100 [lb_av]
        [lcwt_av] - 112 [lb_av]
        [ston_av] - 20 [scwt_av]
        [lton_av] - 20 [lcwt_av]
        [stone_av] - 14 [lb_av]
        [pwt_tr] - 24 [gr]
        [oz_tr] - 20 [pwt_tr]
        [lb_tr] - 12 [oz_tr]
        [sc_ap] - 20 [gr]
        [dr_ap] - 3 [sc_ap]
        [oz_ap] - 8 [dr_ap]
        [lb_ap] - 12 [oz_ap]
        [oz_m] - 28 g
        [degR] - 5 K/9
        cal_[15] + 4.1858 J
        cal_[20] + 4.1819 J
        cal_m + 4.19002 J
        cal_IT + 4.1868 J
        cal_th + 4.184 J
        cal + 1 cal_th
        [Cal] - 1 kcal_th
        [Btu_IT] - 1.05505585262 kJ
        [Btu_th] - 1.05435 kJ
        [Btu] - 1 [Btu_th]
        [HP] - 550 [ft_i].[lbf_av]/s
        m[H2O] + 9.80665 kPa
        m[Hg] + 133.322 kPa
        [in_i'H2O] - 1 m[H2O].[in_i]/m
        [in_i'Hg] - 1 m[Hg].[in_i]/m
        atm - 101325 Pa
        att - 1 kgf/cm2
        [psi] - 1 [lbf_av]/[in_i]2
        [diop] - 1 /m
        [mesh_i] - 1 /[in_i]
        [Ch] - 1 mm/3
        [drp] - 1 ml/20
        [HPF] - 1 {one}
        [LPF] - 100 {one}
        kat + 1 mol/s
        U + 1 umol/min
        eq + 1 mol
        osm + 1 mol
        g% + 1 g/dl
        [S] - 0.0000000000001 s
        [MET] - 3.5 mL/min/kg
        [PRU] - 1 mm[Hg].s/ml
        [wood'U] - 1 mm[Hg].min/L
        st + 1 m3
        Ao - 0.1 nm
        b - 100 fm2
        bit_s - 1 {one}
        bit + 1 {one}
        By + 8 bit
        Bd + 1 /s
        [car_m] - 0.2 g
        circ - 2 [pi].rad
        """
}
