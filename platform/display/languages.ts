// Built-in display texts by language, for Config.messages, or for `messages` and `reasons` of device.json.
import { MESSAGES } from "../../core/index.ts";
import { type RomName, romText } from "./display-rom.ts";
import { reasons } from "./reasons.ts";

/** The texts of a language in the order of the core's MESSAGES or of `reasons`. Each fits displays from 16x2 on. */
type Texts = readonly string[];

const messages = {
  de: [
    "Startet",
    "Nicht angemeldet",
    "Hole Code",
    "Prüfe Code",
    "Angemeldet",
    "Verbinde",
    "Abmeldung läuft",
    "Im Browser:",
    "Code ",
    "Bald neu anmelden",
    "Nicht gesichert",
    "Keine Verbindung",
    "Dienst besetzt",
    "Abgelehnt. Neu anmelden",
    "Nicht erlaubt. Admin fragen",
    "Fremde Firma. Admin fragen",
    "Gerät abgelehnt. Hersteller fragen",
    "Falsch eingestellt. Hersteller fragen",
    "Code abgelaufen. Neu anmelden",
    "Sitzung beendet. Neu anmelden",
    "Konto gesperrt. Admin fragen",
    "Fehler. Hersteller fragen",
    "Zu wenig Speicher. Hersteller fragen",
    "Nicht gelöscht",
  ],
  fr: [
    "Démarrage",
    "Non connecté",
    "Demande du code",
    "Code vérifié...",
    "Connecté",
    "Connexion",
    "Déconnexion",
    "Ouvrir le site :",
    "Code ",
    "Bientôt expiré",
    "Non enregistré",
    "Pas de réseau",
    "Service occupé",
    "Accès refusé. Reconnectez-vous",
    "Non autorisé. Voir administrateur",
    "Autre organisation. Voir administrateur",
    "Appareil refusé. Voir fabricant",
    "Mal configuré. Voir fabricant",
    "Code expiré. Reconnectez-vous",
    "Session finie. Reconnectez-vous",
    "Compte bloqué. Voir administrateur",
    "Erreur. Voir fabricant",
    "Mémoire pleine. Voir fabricant",
    "Non effacé",
  ],
  es: [
    "Iniciando",
    "Sin sesión",
    "Pidiendo código",
    "Revisando código",
    "Sesión iniciada",
    "Conectando",
    "Cerrando sesión",
    "Abra en la web:",
    "Cód. ",
    "Pronto caduca",
    "No guardado",
    "Sin conexión",
    "Servicio ocupado",
    "Acceso denegado. Inicie sesión",
    "No permitido. Avise al administrador",
    "Otra empresa. Avise al administrador",
    "Equipo no válido. Avise al fabricante",
    "Mal configurado. Avise al fabricante",
    "Código caducado. Inicie sesión",
    "Sesión terminada. Inicie sesión",
    "Cuenta cerrada. Avise al administrador",
    "Error. Avise al fabricante",
    "Poca memoria. Avise al fabricante",
    "No borrado",
  ],
  /** Half-width katakana, for displays with the Japanese standard ROM. */
  ja: [
    "ｷﾄﾞｳﾁｭｳ",
    "ﾐﾛｸﾞｲﾝ",
    "ｺｰﾄﾞｼｭﾄｸﾁｭｳ",
    "ｺｰﾄﾞｶｸﾆﾝﾁｭｳ",
    "ﾛｸﾞｲﾝｽﾞﾐ",
    "ｾﾂｿﾞｸﾁｭｳ",
    "ﾛｸﾞｱｳﾄﾁｭｳ",
    "ﾌﾞﾗｳｻﾞﾃﾞﾋﾗｸ:",
    "ｺｰﾄﾞ ",
    "ﾏﾓﾅｸ ｻｲﾛｸﾞｲﾝ",
    "ﾎｿﾞﾝｼｯﾊﾟｲ",
    "ｾﾂｿﾞｸﾃﾞｷﾏｾﾝ",
    "ｻｰﾋﾞｽｺﾝｻﾞﾂ",
    "ｷｮﾋｻﾚﾏｼﾀ｡ ｻｲﾛｸﾞｲﾝ ｼﾃｸﾀﾞｻｲ",
    "ｷｮｶｻﾚﾃｲﾏｾﾝ｡ ｶﾝﾘｼｬﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｿｼｷｶﾞﾁｶﾞｲﾏｽ｡ ｶﾝﾘｼｬﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｷｷｶﾞｷｮﾋｻﾚﾏｼﾀ｡ ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｾｯﾃｲｴﾗｰ｡ ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｺｰﾄﾞｷｹﾞﾝｷﾞﾚ｡ ｻｲﾛｸﾞｲﾝ ｼﾃｸﾀﾞｻｲ",
    "ｾｯｼｮﾝｼｭｳﾘｮｳ｡ ｻｲﾛｸﾞｲﾝ ｼﾃｸﾀﾞｻｲ",
    "ｱｶｳﾝﾄﾑｺｳ｡ ｶﾝﾘｼｬﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｴﾗｰ｡ ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ﾒﾓﾘﾌﾞｿｸ｡ ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ﾄｰｸﾝ ｼｮｳｷｮｼｯﾊﾟｲ",
  ],
} as const satisfies Readonly<Record<string, Texts>>;

/** Translations of the texts of `reasons` (reasons.ts), in the same order. */
const connectionReasons = {
  de: [
    "Kein Netzkabel|Bitte einstecken",
    "Keine Adresse|Router prüfen",
    "Name unbekannt|Internet prüfen",
    "Keine Antwort|Bitte warten",
    "Uhr geht falsch|Uhr oder NTP",
    "Falscher Server|Internet prüfen",
    "Server veraltet|Dienst melden",
    "Server unbekannt|Gerät erneuern",
    "Server zu alt|Dienst melden",
    "Dienst gestört|Bitte warten",
    "Daten defekt|Hersteller rufen",
    "Kein Webdienst|Hersteller rufen",
    "Antwort zu lang|Hersteller rufen",
    "Antwort brach ab|Bitte warten",
    "Fremde Kodierung|Dienst melden",
    "Zufallswert leer|Hersteller rufen",
    "Kopf zu lang|Dienst melden",
    "Kein Zertifikat|Hersteller rufen",
    "Neuer Schlüssel|Neu anmelden",
  ],
  fr: [
    "Pas de câble|Le brancher",
    "Pas d'adresse|Voir le routeur",
    "Nom introuvable|Voir internet",
    "Pas de réponse|Patientez",
    "Heure incorrecte|Régler ou NTP",
    "Pas ce serveur|Voir internet",
    "Serveur périmé|Avertir service",
    "Serveur inconnu|Mettre à jour",
    "Serveur ancien|Avertir service",
    "Service arrêté|Patientez",
    "Réglages abîmés|Voir fabricant",
    "Pas de site web|Voir fabricant",
    "Rép. trop longue|Voir fabricant",
    "Réponse coupée|Patientez",
    "Codage inconnu|Avertir service",
    "Pas d'aléa|Voir fabricant",
    "En-tête long|Avertir service",
    "Certificat exigé|Voir fabricant",
    "Clé remplacée|Reconnectez-vous",
  ],
  es: [
    "Sin cable de red|Conéctelo",
    "Sin dirección|Mire el router",
    "Nombre no existe|Mire internet",
    "Sin respuesta|Espere un poco",
    "Hora incorrecta|Póngala o NTP",
    "Otro servidor|Mire internet",
    "Servidor caduco|Avise servicio",
    "Servidor extraño|Actualice equipo",
    "Servidor antiguo|Avise servicio",
    "Servicio parado|Espere un poco",
    "Ajustes dañados|Avise fabricante",
    "No es web|Avise fabricante",
    "Respuesta larga|Avise fabricante",
    "Resp. cortada|Espere un poco",
    "Codif. extraña|Avise servicio",
    "Falta semilla|Avise fabricante",
    "Cabecera larga|Avise servicio",
    "Sin certificado|Avise fabricante",
    "Clave cambiada|Inicie sesión",
  ],
  ja: [
    "LANｹｰﾌﾞﾙ ﾅｼ|ﾂﾅｲﾃﾞｸﾀﾞｻｲ",
    "ｱﾄﾞﾚｽ ﾅｼ|ﾙｰﾀｦ ｶｸﾆﾝ",
    "ﾅﾏｴ ﾌﾒｲ|ﾈｯﾄﾜｰｸ ｶｸﾆﾝ",
    "ｵｳﾄｳ ﾅｼ|ｵﾏﾁｸﾀﾞｻｲ",
    "ﾄｹｲ ﾁｶﾞｲ|ﾄｹｲｶ NTPｦ ｾｯﾃｲ",
    "ﾍﾞﾂﾉ ｻｰﾊﾞ|ﾈｯﾄﾜｰｸ ｶｸﾆﾝ",
    "ｻｰﾊﾞ ｷｹﾞﾝｷﾞﾚ|ｻｰﾋﾞｽﾆ ﾚﾝﾗｸ",
    "ﾌﾒｲﾉ ｻｰﾊﾞ|ｷｷｦ ｺｳｼﾝ",
    "ｻｰﾊﾞｶﾞ ﾌﾙｲ|ｻｰﾋﾞｽﾆ ﾚﾝﾗｸ",
    "ｻｰﾋﾞｽ ﾃｲｼﾁｭｳ|ｵﾏﾁｸﾀﾞｻｲ",
    "ｾｯﾃｲ ﾊｿﾝ|ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｳｪﾌﾞﾃﾞﾊ ﾅｲ|ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｵｳﾄｳｶﾞ ﾅｶﾞｽｷﾞﾙ|ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｵｳﾄｳｶﾞ ｷﾚﾀ|ｵﾏﾁｸﾀﾞｻｲ",
    "ﾌﾒｲﾉ ﾌｺﾞｳｶ|ｻｰﾋﾞｽﾆ ﾚﾝﾗｸ",
    "ﾗﾝｽｳﾉ ﾀﾈ ﾅｼ|ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ﾍｯﾀﾞｶﾞ ﾅｶﾞｽｷﾞﾙ|ｻｰﾋﾞｽﾆ ﾚﾝﾗｸ",
    "ｼｮｳﾒｲｼｮｶﾞ ﾅｲ|ﾒｰｶｰﾆ ｷｲﾃｸﾀﾞｻｲ",
    "ｶｷﾞｶﾞ ｶﾜﾘﾏｼﾀ|ｻｲﾛｸﾞｲﾝ ｼﾃｸﾀﾞｻｲ",
  ],
} as const satisfies Readonly<Record<string, Texts>>;

/** The languages with built-in texts, as ISO 639-1 codes. */
export const languages = ["en", "de", "fr", "es", "ja"] as const;
/** A language of `languages`. */
export type Language = (typeof languages)[number];

export const TEXTS: Readonly<Record<Language, Texts>> = { en: MESSAGES.split("\n"), ...messages };
const REASONS: Readonly<Record<Language, Texts>> = {
  en: reasons.map(({ text }) => text),
  ...connectionReasons,
};

/** Returns the default ROM for a language: the ROM that has most of the language's letters. */
export function usualRom(language: Language): RomName {
  return language === "ja" || language === "en" ? "A00" : "A02";
}

/** Returns Config.messages in a language. @throws RangeError if the ROM lacks its letters, as A02 lacks katakana */
export function messagesFor(language: Language, rom: RomName = usualRom(language)): string {
  // English is the core's default.
  if (language === "en") return "";
  return TEXTS[language].map((text) => romText(rom, text)).join("\n");
}

/** Returns the texts for a missing connection, for `reasons` of device.json. @throws RangeError as messagesFor does */
export function reasonsFor(
  language: Language,
  rom: RomName = usualRom(language),
): Record<string, string> {
  return Object.fromEntries(
    reasons.map(({ name }, at) => [name, romText(rom, REASONS[language][at]!)]),
  );
}
